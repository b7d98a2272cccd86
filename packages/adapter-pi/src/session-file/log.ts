import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { type JsonObject, stringifyJson, tryParseObject } from "@pond/canonical";
import { SessionFileError } from "./errors.ts";

/**
 * The records of a file, and the lines that are not records: those stay in the file, out of the
 * way.
 */
export type ReadLog = {
  readonly records: readonly JsonObject[];
  readonly malformed: readonly { readonly number: number; readonly text: string }[];
  /** False if the last line lacks its end: the next record must not be glued to it. */
  readonly isTerminated: boolean;
};

/** @throws {SessionFileError} if the file cannot be read. */
export function readLog(path: string): ReadLog {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new SessionFileError(path, "cannot be read", { cause: error });
  }
  const records: JsonObject[] = [];
  const malformed: { readonly number: number; readonly text: string }[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .entries()) {
    if (line.trim() === "") continue;
    // Both clients skip a line that they cannot read.
    const record = tryParseObject(line);
    if (record) records.push(record);
    else malformed.push({ number: index + 1, text: line });
  }
  return { records, malformed, isTerminated: text === "" || text.endsWith("\n") };
}

export function lineOf(record: JsonObject): string {
  return `${stringifyJson(record)}\n`;
}

/** Adds a record in one write, so that concurrent writers do not cut each other's lines. */
export function appendRecord(path: string, record: JsonObject, isTerminated: boolean): void {
  appendFileSync(path, `${isTerminated ? "" : "\n"}${lineOf(record)}`, { mode: 0o600 });
}

/** Makes a file that does not exist yet. @throws {SessionFileError} if it does. */
export function createLog(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (existsSync(path)) throw new SessionFileError(path, "is there already");
  writeFileSync(path, text, { flag: "wx", mode: 0o600 });
}

/** Replaces a file at once or not at all. */
export function rewriteLog(path: string, text: string): void {
  const draft = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(draft, text, { flag: "wx", mode: 0o600 });
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}
