import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { basename } from "node:path";
import { type FaultEvent, isJsonObject, type JsonObject, type JsonValue } from "@pond/canonical";
import {
  isSystemError,
  measureFiles,
  openRecord,
  type SourceSession,
} from "@pond/canonical/adapter";
import { recordFault } from "../faults.ts";
import { origin } from "../origin.ts";
import { jsonText, NotJson, readJsonObject } from "./json-file.ts";
import {
  cutMessages,
  type KeptRows,
  keptRows,
  keptSides,
  originalInfo,
  originalMessage,
  rowOf,
} from "./kept-rows.ts";
import { mergeByTime } from "./mixed.ts";
import type { Continued, Schema, Stored, StoredMessage, StoredSession } from "./stored.ts";

/** The content of one file. */
type StoredExport = StoredSession &
  Pick<Continued, "without"> & {
    /** True for the second file of a session whose one record is in the first. */
    readonly isSame: boolean;
  };

/**
 * A session that the client exported, including what it has of 2.x.
 *
 * @throws {NotJson} if the file holds no such export.
 * @throws if it cannot be read.
 */
export function readExport(file: string, path: string): StoredExport {
  const first = readSingleExport(file, path);
  const later = secondExportOf(first, file);
  if (later === undefined) return first;
  if (later.isSame) {
    return {
      ...first,
      isMixed: true,
      messages: (count) => mergeByTime(first.messages(count), later.messages(count)),
    };
  }
  return {
    ...first,
    continued: { record: later.record, row: later.row, without: later.without },
    messages: function* (count) {
      yield* first.messages(count);
      yield* later.messages(count);
    },
  };
}

/** The state of an export, and of the file that may continue it. */
export function measureExport(file: string): Pick<SourceSession, "fingerprint" | "bytes"> {
  const later = secondExportPath(file);
  return measureFiles(file, existsSync(later) ? [{ file: later, path: basename(later) }] : []);
}

/** True for the second file of a session of 1.x and 2.x, which is read with the first one. */
export function isSecondExport(file: string): boolean {
  const first = file.replace(/\.2\.json$/, ".json");
  if (first === file || !existsSync(first) || !existsSync(file)) return false;
  const read = openExport(first);
  return read?.continued !== undefined || read?.isMixed === true;
}

/** The id of the session in an export; undefined if the file is not an export. */
export function exportedId(file: string): string | undefined {
  try {
    // If the id comes first, as clients write it, the rest need not be read.
    const [, first] = /^\{\s*"info"\s*:\s*\{\s*"id"\s*:\s*"(\w+)"/.exec(headOf(file)) ?? [];
    const id = first ?? openExport(file)?.record.peek("id");
    return typeof id === "string" ? id : undefined;
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}

/** Undefined for a file that cannot be opened; reading the session will report it. */
export function openExport(file: string): StoredExport | undefined {
  try {
    return readExport(file, basename(file));
  } catch (error) {
    if (error instanceof NotJson || isSystemError(error)) return undefined;
    throw error;
  }
}

/**
 * Pond writes two files for a session with turns of 1.x and of 2.x, because no version takes both
 * shapes.
 */
export function secondExportPath(file: string): string {
  return file.replace(/\.json$/, ".2.json");
}

function secondExportOf(first: StoredSession, file: string): StoredExport | undefined {
  const place = secondExportPath(file);
  if (first.schema !== 1 || !existsSync(place)) return undefined;
  const later = openExport(place);
  const isSame = later?.record.peek("id") === first.record.peek("id");
  return isSame && later?.schema === 2 ? later : undefined;
}

function readSingleExport(file: string, path: string): StoredExport {
  const { value, encodedBytes } = readJsonObject(file);
  const { info, messages, ...beside } = value;
  if (!isJsonObject(info) || !Array.isArray(messages)) throw new NotJson("no exported session");
  const list: readonly JsonValue[] = messages;
  const schema = schemaOf(info, list);
  const at = { adapter: origin, uri: file, record: "info" };
  const kept = keptRows(beside, list, schema);
  const row = kept?.session ?? beside;
  return {
    without: kept?.without,
    isSame: kept?.isSame ?? false,
    store: kept ? "database" : "export",
    schema,
    record: openRecord(at, kept ? originalInfo(info, kept) : info, { encodedBytes }),
    row: Object.keys(row).length > 0 ? openRecord(at, row, { encodedBytes }) : undefined,
    path,
    // The session's own directory, or what pond added if it names none.
    worktree: () => openRecord(at, { worktree: info["directory"] ?? "" }),
    isLive: false,
    newestMs: 0,
    messages: function* (count) {
      for (const [index, message] of list.entries()) {
        count?.add(1 + (schema === 1 ? partsIn(message).length : 0));
        const place = { adapter: origin, uri: file, record: `message ${index + 1}` };
        const options = { encodedBytes, kept };
        yield schema === 1
          ? openMessage(place, kept ? originalMessage(message, index, kept) : message, options)
          : openMessage2(place, message, options);
      }
      if (kept) yield* cutMessages({ ...at, record: "pond" }, kept, info, count);
    },
    sides: (count) => (kept ? keptSides({ ...at, record: "pond" }, kept, count) : []),
  };
}

/** True if a file begins as an export does; cheap, for folders that hold other files, too. */
export function looksExported(file: string): boolean {
  return /^\s*\{\s*"(?:info"\s*:\s*\{|messages"\s*:\s*\[)/.test(headOf(file));
}

function headOf(file: string): string {
  const handle = openSync(file, "r");
  try {
    const head = Buffer.alloc(512);
    return jsonText(head.subarray(0, readSync(handle, head)));
  } finally {
    closeSync(handle);
  }
}

/** The parts of a message that are records of their own. */
function partsIn(message: JsonValue): readonly JsonObject[] {
  const parts = isJsonObject(message) && isJsonObject(message["info"]) ? message["parts"] : [];
  return Array.isArray(parts) && parts.every(isJsonObject) ? parts : [];
}

function schemaOf(info: JsonObject, messages: readonly JsonValue[]): Schema {
  const [first] = messages;
  if (isJsonObject(first)) return isJsonObject(first["info"]) || !("type" in first) ? 1 : 2;
  return isJsonObject(info["location"]) ? 2 : 1;
}

type Place = { readonly adapter: string; readonly uri: string; readonly record: string };
type Options = { readonly encodedBytes: number; readonly kept: KeptRows | undefined };

function openMessage(
  place: Place,
  message: JsonValue,
  options: Options,
): StoredMessage | FaultEvent {
  if (!isJsonObject(message)) return recordFault(place.uri, place.record, "not a JSON object");
  const { info, parts, ...beside } = message;
  if (!isJsonObject(info)) return recordFault(place.uri, place.record, 'no object at "info"');
  const isList = Array.isArray(parts) && parts.every(isJsonObject);
  const odd = parts === undefined ? { lacks: ["parts"] } : isList ? {} : { parts };
  const row = { ...beside, ...odd };
  const list: readonly JsonObject[] = isList ? parts : [];
  const { kept } = options;
  const rowIn = (record: JsonObject) => kept && rowOf(place, kept, record);
  return {
    kind: "message",
    schema: 1,
    record: openRecord(place, info, options),
    row: Object.keys(row).length > 0 ? openRecord(place, row, options) : rowIn(info),
    parts: list.map((part): Stored => {
      return { record: openRecord(place, part, options), row: rowIn(part) };
    }),
    records: 1 + list.length,
  };
}

function openMessage2(
  place: Place,
  message: JsonValue,
  options: Options,
): StoredMessage | FaultEvent {
  if (!isJsonObject(message)) return recordFault(place.uri, place.record, "not a JSON object");
  const record = openRecord(place, message, options);
  const row = options.kept && rowOf(place, options.kept, message);
  return { kind: "message", schema: 2, record, row, parts: [], records: 1 };
}
