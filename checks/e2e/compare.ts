import { isUtf8 } from "node:buffer";
import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonEqual,
  parseJson,
  stringifyJson,
} from "@pond/canonical";

/**
 * The JSON objects of a JSONL file, in order, including two that share a line. Lines without an
 * object are faults, not records.
 */
export function recordsOf(file: string): JsonObject[] {
  const bytes = readFileSync(file);
  return (file.endsWith(".jsonl") ? splitLines(bytes) : [bytes]).flatMap((line): JsonObject[] => {
    if (!isUtf8(line)) return [];
    const text = line.toString("utf8").replace(/^\uFEFF/, "");
    const whole = objectIn(text);
    return whole === undefined ? twoIn(text) : [whole];
  });
}

function objectIn(text: string): JsonObject | undefined {
  try {
    const value: JsonValue = parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The two records that share a line; empty if the line is one record, or holds none. */
export function twoIn(text: string): JsonObject[] {
  if (objectIn(text) !== undefined) return [];
  for (const { index } of text.matchAll(/(?<=\})\{"/g)) {
    const [first, second] = [objectIn(text.slice(0, index)), objectIn(text.slice(index))];
    if (first && second) return [first, second];
  }
  return [];
}

/**
 * Where a restored folder differs from its source: one line for each file. Records are compared one
 * by one, in order, with numbers as decimals; other files byte by byte. If a client keeps a session
 * in one JSON document, the document is a record.
 */
export function differences(source: string, restored: string, client = "claude-code"): string[] {
  const files = (folder: string): string[] =>
    globSync("**/*", { cwd: folder })
      .filter((file) => statSync(join(folder, file)).isFile())
      .sort();
  const expected = files(source);
  const found = new Set(files(restored));
  const unexpected = [...found].filter((file) => !expected.includes(file));
  return [
    ...expected.flatMap((file) => {
      if (!found.has(file)) return [`${file}: not restored`];
      const difference = fileDifference(join(source, file), join(restored, file), client);
      return difference === undefined ? [] : [`${file}: ${difference}`];
    }),
    ...unexpected.map((file) => `${file}: not in the source`),
  ];
}

const documentClients = ["opencode", "phi-core"];

function fileDifference(source: string, restored: string, client: string): string | undefined {
  const isDocument = source.endsWith(".json") && documentClients.includes(client);
  if (!source.endsWith(".jsonl") && !isDocument) {
    return readFileSync(source).equals(readFileSync(restored)) ? undefined : "other bytes";
  }
  const own = recordsOf(source);
  const ours = recordsOf(restored);
  const at = own.findIndex((record, index) => !jsonEqual(record, ours[index] ?? null));
  if (at >= 0) return `record ${at}: ${shorten(own[at])} came back as ${shorten(ours[at])}`;
  return own.length === ours.length
    ? undefined
    : `${own.length} records came back as ${ours.length}`;
}

function shorten(record: JsonObject | undefined): string {
  return record === undefined ? "nothing" : stringifyJson(record).slice(0, 200);
}

function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(0x0a, from);
    const stop = end < 0 ? bytes.length : end;
    if (stop > from) lines.push(bytes.subarray(from, stop));
    from = stop + 1;
  }
  return lines;
}
