import { isJsonObject, stringifyJson, tryParseObject } from "@pond/canonical";
import type { CompleteKit } from "./kit.ts";
import { linesOf, type SourceLine } from "./records.ts";
import type { SourceFiles } from "./source-files.ts";

/** The files with every line file rewritten, line by line. Broken lines are left out. */
export function mapLineFiles(
  kit: CompleteKit,
  files: SourceFiles,
  change: (lines: readonly Buffer[], path: string) => readonly Uint8Array[],
): SourceFiles {
  return new Map(
    [...files].map(([path, bytes]) => {
      if (!kit.isLineFile(path)) return [path, bytes];
      return [path, joinLines(change(wholeLines(bytes), path))];
    }),
  );
}

/**
 * The files with every record rewritten: those of line files line by line, and any other JSON file
 * as one record that stays one.
 */
export function mapRecords(
  kit: CompleteKit,
  files: SourceFiles,
  change: (records: readonly Buffer[]) => readonly Uint8Array[],
): SourceFiles {
  return new Map(
    [...mapLineFiles(kit, files, change)].map(([path, bytes]) => {
      if (kit.isLineFile(path) || !isDocument(path, bytes)) return [path, bytes];
      const [document = bytes] = change([Buffer.from(bytes)]);
      return [path, document];
    }),
  );
}

/** The lines of the file that hold a record, as bytes. */
export function wholeLines(bytes: Uint8Array): readonly Buffer[] {
  return linesOf(bytes)
    .filter(holdsRecord)
    .map((line) => Buffer.from(line.bytes));
}

/** The file that such lines make. */
export function joinLines(lines: readonly Uint8Array[]): Buffer {
  return Buffer.concat(lines.flatMap((line) => [line, newline]));
}

/**
 * Every boundary of a small file, and some evenly spread ones of a large one, including the end.
 */
export function cuts(lines: number): readonly number[] {
  const step = Math.max(1, lines / maxCuts);
  const count = Math.min(lines, maxCuts);
  return Array.from({ length: count }, (_, at) => Math.round((at + 1) * step));
}

/** The line with fields added after its own. */
export function withFields(line: Buffer, fields: string): Buffer {
  const text = line.toString().trimEnd();
  const isEmpty = /^\s*\{\s*\}$/.test(text);
  return Buffer.from(`${text.slice(0, -1)}${isEmpty ? "" : ","}${fields}}`);
}

/** The record of the line under another type name. */
export function withType(line: Buffer, type: string): Buffer {
  const [record] = linesOf(line).map(({ record }) => record);
  return isJsonObject(record) ? Buffer.from(stringifyJson({ ...record, type })) : line;
}

function isDocument(path: string, bytes: Uint8Array): boolean {
  return path.endsWith(".json") && tryParseObject(Buffer.from(bytes).toString()) !== undefined;
}

function holdsRecord({ record }: SourceLine): boolean {
  return record !== undefined;
}

const maxCuts = 64;
const newline = Buffer.from("\n");
