import { closeSync, lstatSync, openSync, readSync } from "node:fs";
import { type JsonObject, tryParseObject } from "@pond/canonical";
import { isSystemError, splitJoinedRecords } from "@pond/canonical/adapter";
import { archivedSuffix } from "./layout.ts";
import { unpackedStart } from "./unpack.ts";

/** The beginning of a log as text, only for decisions; undefined if it cannot be read. */
function startOf(file: string, maxBytes: number): string | undefined {
  // A pipe would wait for a writer, and a link may lead anywhere.
  if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return undefined;
  try {
    if (!file.endsWith(archivedSuffix)) return bytesAt(file, 0, maxBytes).toString("utf8");
    // However well they were compressed, these few are not many more.
    return unpackedStart(bytesAt(file, 0, headerBytes))?.toString("utf8", 0, maxBytes);
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}

/** The bytes of a file from a place on, as far as there are any. */
export function bytesAt(file: string, position: number, maxBytes: number): Buffer {
  const handle = openSync(file, "r");
  try {
    const buffer = Buffer.alloc(maxBytes);
    return buffer.subarray(0, readSync(handle, buffer, 0, maxBytes, position));
  } finally {
    closeSync(handle);
  }
}

/** The header of a log, only for decisions: in its first line, or after the one for the title. */
export function headerOf(log: string): JsonObject | undefined {
  return firstLines(log)?.slice(0, 2).flatMap(recordsIn).find(isHeader);
}

/**
 * What a file is, by its first lines: the log of a session, one whose header is not completely
 * written yet, or something else. What cannot be read may be a log, which reading it will tell.
 */
export function kindOf(file: string): "log" | "begun" | "other" {
  const lines = firstLines(file);
  if (lines === undefined) return "begun";
  const records = lines.flatMap(recordsIn);
  const headerAt = records.slice(0, 2).findIndex(isHeader);
  if (headerAt >= 0) return isEvent(records[headerAt + 1]) ? "other" : "log";
  const place = records[0]?.["type"] === "title" ? 1 : 0;
  const { [place]: line = "" } = lines;
  const isOpen = lines.length <= place + 1 && tryParseObject(line) === undefined;
  return isOpen && linePrefix.startsWith(line.slice(0, linePrefix.length)) ? "begun" : "other";
}

/** The beginning of every line that the clients write. */
const linePrefix = '{"type":';

function isHeader(record: JsonObject | undefined): boolean {
  return record?.["type"] === "session" && typeof record["id"] === "string" && record["id"] !== "";
}

/** pi also prints a header before the events of a run, which are not entries. */
function isEvent(record: JsonObject | undefined): boolean {
  return record !== undefined && record["id"] === undefined && record["timestamp"] === undefined;
}

/** The lines that decide what a file is; the last one may be cut. */
function firstLines(file: string): readonly string[] | undefined {
  const lines = linesIn(file, headerBytes);
  const isDecided =
    lines === undefined || lines.length === 3 || lines.flatMap(recordsIn).some(isHeader);
  return isDecided ? lines : linesIn(file, maxHeaderBytes);
}

/** The record on a line, or those that share it; undefined for a line without any. */
function recordsIn(line: string): readonly (JsonObject | undefined)[] {
  const record = tryParseObject(line);
  if (record) return [record];
  const found = splitJoinedRecords(line)
    .filter(({ isWhole }) => isWhole)
    .map(({ from, end }) => tryParseObject(line.slice(from, end)));
  return found.length > 0 ? found : [undefined];
}

/** Up to three lines, without leading blank ones, which the clients skip. */
function linesIn(file: string, maxBytes: number): readonly string[] | undefined {
  return startOf(file, maxBytes)?.trimStart().split("\n", 3);
}

const headerBytes = 16 * 1024;

/** The clients look for a header no further. */
const maxHeaderBytes = 1024 * 1024;
