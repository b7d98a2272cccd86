import { isJsonObject, type JsonValue, parseJson, stringifyJson } from "@pond/canonical";
import { splitJoinedRecords } from "@pond/canonical/adapter";
import type { SourceFiles } from "./source-files.ts";

/** One line of a JSONL file, or one of the records that stand on one line. */
export type SourceLine = {
  /** Without its line end, and without zeros at either end. */
  readonly bytes: Uint8Array;
  /** Undefined if the line is blank or not a JSON object. */
  readonly record: JsonValue | undefined;
  readonly isBlank: boolean;
};

/** The records of a client that writes JSON Lines; a line that is not an object is skipped. */
export function jsonlRecords(files: SourceFiles): ReadonlyMap<string, readonly JsonValue[]> {
  return new Map([...files].map(([path, bytes]) => [path, recordsOf(path, bytes)]));
}

/** The same files with the keys of every object reversed: an order that no client writes. */
export function withReversedKeys(files: SourceFiles): SourceFiles {
  const reversed = [...jsonlRecords(files)].map(([path, records]): [string, Uint8Array] => {
    const lines = records.map((record) => `${stringifyJson(reverseKeys(record))}\n`);
    return [path, Buffer.from(lines.join(""))];
  });
  return new Map(reversed);
}

function reverseKeys(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(reverseKeys);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).toReversed();
  return Object.fromEntries(entries.map(([key, member]) => [key, reverseKeys(member)]));
}

/** The lines of a file, without the empty rest after a last newline. */
export function linesOf(bytes: Uint8Array): readonly SourceLine[] {
  const file = Buffer.from(bytes);
  const buffer = file.subarray(0, byteOrderMark.length).equals(byteOrderMark)
    ? file.subarray(byteOrderMark.length)
    : file;
  const lines: SourceLine[] = [];
  for (let from = 0; from < buffer.length; ) {
    const newline = buffer.indexOf(0x0a, from);
    const end = newline < 0 ? buffer.length : newline;
    lines.push(...toLines(buffer.subarray(from, end)));
    from = end + 1;
  }
  return lines;
}

function recordsOf(path: string, bytes: Uint8Array): readonly JsonValue[] {
  if (path.endsWith(".jsonl")) {
    return linesOf(bytes).flatMap(({ record }) => (record === undefined ? [] : [record]));
  }
  const isJson = path.endsWith(".json");
  return [(isJson ? parsed(bytes) : undefined) ?? Buffer.from(bytes).toString("base64")];
}

function toLines(line: Buffer): readonly SourceLine[] {
  const bytes = withoutZeros(line);
  const isBlank = line.toString("latin1").trim() === "";
  const whole = { bytes, record: objectIn(bytes), isBlank };
  if (whole.record !== undefined || parsed(bytes) !== undefined || isBlank) return [whole];
  const pieces = splitJoinedRecords(bytes.toString("latin1")).map(({ from, end }) => {
    const piece = bytes.subarray(from, end);
    return { bytes: piece, record: objectIn(piece), isBlank };
  });
  return pieces.some(({ record }) => record !== undefined) ? pieces : [whole];
}

function objectIn(bytes: Uint8Array): JsonValue | undefined {
  const value = parsed(bytes);
  return isJsonObject(value) ? value : undefined;
}

/** A power cut leaves zeros before or after a whole record. */
function withoutZeros(line: Buffer): Buffer {
  const end = line.at(-1) === 0x0d ? line.length - 1 : line.length;
  const text = line.subarray(0, end);
  const from = text.findIndex((byte) => byte !== 0);
  return from < 0 ? text : text.subarray(from, text.findLastIndex((byte) => byte !== 0) + 1);
}

function parsed(bytes: Uint8Array): JsonValue | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return parseJson(text);
  } catch {
    return undefined;
  }
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
