import { isJsonObject, type JsonObject, type JsonValue } from "@pond/canonical";
import { objectAt, objectOf, openRecord, type RecordCount } from "@pond/canonical/adapter";
import { withoutAdded } from "./added.ts";
import { cutMessage } from "./cut-message.ts";
import type { Schema, Stored, StoredMessage, StoredSide } from "./stored.ts";

/** What a database held of a session beyond an export, as pond writes it into one. */
export type KeptRows = {
  readonly session: JsonObject;
  /** By the id of the row's message or part. */
  readonly rows: JsonObject;
  /** The parts of messages that could not be read themselves, by message. */
  readonly cut: JsonObject;
  /** The first message that the second half of a session continued without. */
  readonly without: string | undefined;
  /** True for the second half of a session whose one record is in the first. */
  readonly isSame: boolean;
  /**
   * The names of fields that records lacked and that an import needs: for the session under `info`,
   * for its summary under `summary`, for the first message under `0`, for its second part under
   * `0.1`, for that part's state under `0.1.state`.
   */
  readonly added: JsonObject;
  /** Lists beside the log, by name. */
  readonly sides: JsonObject;
};

type Place = { readonly adapter: string; readonly uri: string; readonly record: string };

/**
 * The rows beside the messages of an export, with which it is read as what it was made of.
 * Undefined if anything else stands there, or something that is not a row.
 */
export function keptRows(
  beside: JsonObject,
  messages: readonly JsonValue[],
  schema: Schema,
): KeptRows | undefined {
  const { pond, ...others } = beside;
  if (!isJsonObject(pond) || Object.keys(others).length > 0) return undefined;
  const { session, rows, parts: cut = {}, without, same, added = {}, ...sides } = pond;
  if (!isJsonObject(session) || !isJsonObject(rows) || !isJsonObject(cut)) return undefined;
  if (!isJsonObject(added)) return undefined;
  if (without !== undefined && (typeof without !== "string" || schema === 1)) return undefined;
  if (same !== undefined && (same !== true || schema === 1)) return undefined;
  const isWritten = schema === 1 ? isPlainMessage : isJsonObject;
  if (!messages.every(isWritten) || !Object.values(cut).every(isList)) return undefined;
  const ids = new Set([...messages.flatMap(idsIn), ...Object.entries(cut).flatMap(idsOfCut)]);
  const isOfRecord = ([id, row]: [string, JsonValue]) => ids.has(id) && isRow(row);
  return Object.entries(rows).every(isOfRecord)
    ? { session, rows, cut, without, isSame: same === true, added, sides }
    : undefined;
}

/** The row of a record, by the record's id. */
export function rowOf(place: Place, { rows }: KeptRows, record: JsonObject): Stored["row"] {
  const row = objectAt(rows, String(record["id"]));
  return isRow(row) ? openRecord(place, row) : undefined;
}

/** The session of an export without what was added for an import. */
export function originalInfo(info: JsonObject, { added }: KeptRows): JsonObject {
  const { summary } = info;
  const own = isJsonObject(summary)
    ? { ...info, summary: withoutAdded(summary, added["summary"]) }
    : info;
  return withoutAdded(own, added["info"]);
}

/** A message of an export of 1.x, and its parts, without what was added for an import. */
export function originalMessage(
  message: JsonValue,
  index: number,
  { added }: KeptRows,
): JsonObject {
  const { info, parts } = objectOf(message);
  const list = (isList(parts) ? parts : []).map((part, at) => {
    const place = `${index}.${at}`;
    const { state } = part;
    const own = isJsonObject(state)
      ? { ...part, state: withoutAdded(state, added[`${place}.state`]) }
      : part;
    return withoutAdded(own, added[place]);
  });
  return { info: withoutAdded(objectOf(info), added[`${index}`]), parts: list };
}

/** The messages of which a database had only the parts. */
export function* cutMessages(
  place: Place,
  kept: KeptRows,
  session: JsonObject,
  count: RecordCount | undefined,
): Generator<StoredMessage> {
  for (const [id, list] of Object.entries(kept.cut)) {
    const parts = (isList(list) ? list : []).map((record): Stored => {
      return { record: openRecord(place, record), row: rowOf(place, kept, record) };
    });
    count?.add(parts.length);
    const ids = { id, sessionID: session["id"] ?? null };
    yield cutMessage(place, ids, parts, objectAt(kept.rows, id));
  }
}

/** The lists that the client keeps beside the log. */
export function* keptSides(
  place: Place,
  { sides }: KeptRows,
  count: RecordCount | undefined,
): Generator<StoredSide> {
  for (const [name, value] of Object.entries(sides)) {
    count?.add(1);
    yield { kind: "side", name, record: openRecord(place, { value }) };
  }
}

function isRow(value: JsonValue): value is JsonObject {
  return isJsonObject(value) && Object.keys(value).length > 0;
}

/** A message with its parts and nothing else. */
function isPlainMessage(message: JsonValue): boolean {
  const { info, parts, ...others } = objectOf(message);
  return isJsonObject(info) && isList(parts) && Object.keys(others).length === 0;
}

function isList(value: JsonValue | undefined): value is readonly JsonObject[] {
  return Array.isArray(value) && value.every(isJsonObject);
}

function idsIn(message: JsonValue): readonly JsonValue[] {
  const { id = null, info, parts } = objectOf(message);
  const inside = isList(parts) ? parts : [];
  return [id, ...[objectOf(info), ...inside].map((record) => record["id"] ?? null)];
}

function idsOfCut([id, parts]: [string, JsonValue]): readonly JsonValue[] {
  return [id, ...idsIn({ parts })];
}
