import { fromRfc3339, isJsonObject, type JsonObject } from "@pond/canonical";
import { jsonlRecords } from "../records.ts";
import type { SourceFiles } from "../source-files.ts";

/** What the demo's client would refuse in these files. */
export function demoProblems(files: SourceFiles): readonly string[] {
  return [...jsonlRecords(files)].flatMap(([path, records]) => {
    const [head, ...turns] = records.filter(isJsonObject);
    const isHead = typeof head?.["id"] === "string" && typeof head["cwd"] === "string";
    const found = isHead && hasTime(head) ? [] : [`${path}:1 is no head of a session`];
    const [ids, open] = [new Set<unknown>(), new Set<unknown>()];
    for (const [index, record] of turns.entries()) {
      const problem = problemOf(record, ids, open);
      if (problem !== undefined) found.push(`${path}:${index + 2} ${problem}`);
      ids.add(record["id"]);
    }
    return found;
  });
}

function problemOf(
  record: JsonObject,
  ids: ReadonlySet<unknown>,
  open: Set<unknown>,
): string | undefined {
  const { id, role, call } = record;
  if (typeof id !== "string" || ids.has(id)) return "has no id of its own";
  if (!hasTime(record)) return "has no time";
  if (role === "call") {
    if (open.has(call)) return "makes a call twice";
    open.add(call);
  } else if (role === "result") {
    return open.delete(call) ? undefined : "answers no open call";
  } else if (typeof record["text"] !== "string") return "has no text";
  return undefined;
}

function hasTime({ at }: JsonObject): boolean {
  return typeof at === "string" && fromRfc3339(at) !== undefined;
}
