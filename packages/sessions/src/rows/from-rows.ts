import {
  allowedParts,
  checkPart,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Message,
  type MessageHeader,
  messageFromWire,
  messageOf,
  type Part,
  parseJson,
  type Role,
  type Session,
  ValidationError,
} from "@pond/canonical";
import type { Cell, Row } from "@pond/substrate";
import { DamagedRowError, unlessDamaged } from "../errors.ts";
import { sessionTables } from "../tables.ts";
import { bagOf } from "./option-bag.ts";

// What was stored was checked when it came; these functions give it its types back. A value that
// its type does not allow was damaged since, or comes from a later version of pond: it is no fault
// of the caller.

export const sessionColumns = [
  "id",
  "parent_session_id",
  "parent_message_id",
  "source_agent",
  "created_at",
  "project",
  "options",
] as const;

export const messageColumns = [
  "id",
  "session_id",
  "timestamp",
  "role",
  "content",
  "options",
] as const;

/** All except `data`, which costs half a millisecond a row even if it is null. */
export const partColumns = [
  "session_id",
  "message_id",
  "id",
  "ordinal",
  "type",
  "provenance",
  "variant_data",
  "options",
] as const;

/** A session's own row. @throws {DamagedRowError} */
export function sessionFromRow(row: Row): Session {
  const { parent_session_id: parent, parent_message_id: cut, options: _, ...fields } = row;
  return {
    ...fields,
    ...(parent !== null && { parent_session_id: parent }),
    ...(cut !== null && { parent_message_id: cut }),
    options: objectIn(row, "options"),
  } as Session;
}

/** A message's own row and its parts, as first stored. @throws {DamagedRowError} */
export function messageFromRow(row: Row, parts: readonly Part[]): Message {
  const { id, session_id, timestamp, role } = row;
  const base = { id, session_id, timestamp, options: objectIn(row, "options") };
  if (role === "system") {
    const content = jsonIn(row, "content");
    if (typeof content !== "string") throw damagedRow(row, "content");
    // Parts under its id are leftovers of a state that was never whole; it has none of its own.
    return { ...base, role, content } as Message;
  }
  if (!isRole(role)) throw damagedRow(row, "role");
  for (const { session_id, message_id, id, type } of parts) {
    const isAllowed = allowedParts[role].includes(type);
    if (!isAllowed) throw damagedRow({ session_id, message_id, id, type }, "type");
  }
  return messageOf({ ...base, role } as MessageHeader, parts);
}

function isRole(role: Cell | undefined): role is Role {
  return typeof role === "string" && Object.hasOwn(allowedParts, role);
}

/** True for a file part whose bytes are in the column `data`. */
export function hasBytes(row: Row): boolean {
  return row["type"] === "file" && !Object.hasOwn(objectIn(row, "variant_data"), "data");
}

/** The rows of a message's parts, in order. */
export function inOrder(parts: readonly Row[]): Row[] {
  return parts.toSorted((left, right) => Number(left["ordinal"]) - Number(right["ordinal"]));
}

/** A part from its row; `bytes` is its `data`. @throws {DamagedRowError} */
export function partFromRow(row: Row, bytes: Cell): Part {
  const { id, session_id, message_id, provenance, type } = row;
  const variant = objectIn(row, "variant_data");
  const content = bytes === null ? {} : { data: { type: "bytes", bytes } };
  const options = objectIn(row, "options");
  const part = { id, session_id, message_id, provenance, type, ...variant, ...content, options };
  try {
    return checkPart(part);
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const { path } = error.details;
    throw damagedRow(row, partLabels.find((name) => path === `part.${name}`) ?? "variant_data");
  }
}

const partLabels = ["type", "provenance"];

/**
 * The message that a carrier holds; undefined in a tombstone and in a carrier that only moves.
 *
 * @throws {DamagedRowError}
 */
export function messageFromCarrier(row: Row): Message | undefined {
  return carriedMessage(row, objectIn(row, "options"));
}

/**
 * Like {@link messageFromCarrier}, if the content of the row's options is known. @throws
 * {DamagedRowError}
 */
export function carriedMessage(row: Row, options: JsonObject): Message | undefined {
  const message: JsonValue | undefined = bagOf(options, "pond")["message"];
  if (message === undefined) return undefined;
  try {
    return messageFromWire(message);
  } catch (error) {
    if (error instanceof ValidationError) throw damagedRow(row, "options");
    throw error;
  }
}

/** The JSON in a column. @throws {DamagedRowError} if there is none. */
export function jsonIn(row: Row, column: string): JsonValue {
  try {
    return parseJson(String(row[column]));
  } catch {
    throw damagedRow(row, column);
  }
}

/** The JSON object in a column. @throws {DamagedRowError} if there is none. */
export function objectIn(row: Row, column: string): JsonObject {
  const value = jsonIn(row, column);
  if (!isJsonObject(value)) throw damagedRow(row, column);
  return value;
}

/** The options of a row; undefined if they are damaged. */
export function readableOptions(row: Row): JsonObject | undefined {
  return unlessDamaged(() => objectIn(row, "options"));
}

/** The error that names a row by its key, and a column of it that is not what was written. */
export function damagedRow(row: Row, column: string): DamagedRowError {
  // The last one: the key of a part includes the names in that of a message, and so on.
  const table = sessionTables.findLast(
    ({ columns, primaryKey }) =>
      Object.hasOwn(columns, column) && primaryKey.every((name) => name in row),
  );
  const key = table?.primaryKey.map((name) => String(row[name])) ?? [];
  const found = String(row[column]).slice(0, 80);
  return new DamagedRowError(column, found, table && { table: table.name, key });
}
