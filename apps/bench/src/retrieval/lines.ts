import { readFileSync } from "node:fs";
import * as v from "valibot";

/**
 * The lines of a JSONL file, each checked.
 *
 * @throws {Error} with file, line and field of the first wrong one.
 */
export function readLines<Schema extends v.GenericSchema>(
  file: string,
  schema: Schema,
): v.InferOutput<Schema>[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.flatMap((line, index) => {
    if (line.trim() === "") return [];
    const place = `${file}:${index + 1}`;
    const result = v.safeParse(schema, parse(line, place));
    if (result.success) return [result.output];
    const [issue] = result.issues;
    throw new Error(`${place}: ${v.getDotPath(issue) ?? "the line"}: ${issue.message}`);
  });
}

function parse(line: string, place: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new Error(`${place}: not JSON`, { cause });
  }
}

/** @throws {Error} if two have the same id. */
export function requireUnique(file: string, ids: readonly string[]): void {
  const seen = new Set<string>();
  for (const id of ids) {
    if (seen.has(id)) throw new Error(`${file}: "${id}" is there twice`);
    seen.add(id);
  }
}
