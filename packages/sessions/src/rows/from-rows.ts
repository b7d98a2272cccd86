import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Message,
  type MessageHeader,
  messageFromWire,
  messageOf,
  type Part,
  parseJson,
  type Session,
} from "@pond/canonical";
import type { Cell, Row } from "@pond/substrate";
import { DamagedRowError } from "../errors.ts";
import { bagOf } from "./option-bag.ts";

// What was stored was checked when it came; these give it its types back.

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

/** All but `data`: it costs half a millisecond a row even where it is null. */
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

export function sessionFromRow(row: Row): Session {
  const { parent_session_id: parent, parent_message_id: cut, options, ...fields } = row;
  return {
    ...fields,
    ...(parent !== null && { parent_session_id: parent }),
    ...(cut !== null && { parent_message_id: cut }),
    options: objectOf(options),
  } as Session;
}

/** A message's own row and its parts, as first stored. */
export function messageFromRow(row: Row, parts: readonly Part[]): Message {
  const { id, session_id, timestamp, role, options } = row;
  const base = { id, session_id, timestamp, options: objectOf(options) };
  if (role === "system") {
    // Parts under its id are leftovers of a state that was never whole; it has none of its own.
    return { ...base, role, content: jsonOf(row, "content") } as Message;
  }
  return messageOf({ ...base, role } as MessageHeader, parts);
}

/** True for a file part whose bytes are in the column `data`. */
export function hasBytes(row: Row): boolean {
  return row["type"] === "file" && !Object.hasOwn(objectOf(row["variant_data"]), "data");
}

/** The rows of a message's parts, in their order. */
export function inOrder(parts: readonly Row[]): Row[] {
  return parts.toSorted((left, right) => Number(left["ordinal"]) - Number(right["ordinal"]));
}

/** A part from its row; `bytes` is its `data`. */
export function partFromRow(row: Row, bytes: Cell): Part {
  const { id, session_id, message_id, provenance, type } = row;
  const variant = objectOf(row["variant_data"]);
  const content = bytes === null ? {} : { data: { type: "bytes", bytes } };
  const options = objectOf(row["options"]);
  return { id, session_id, message_id, provenance, type, ...variant, ...content, options } as Part;
}

/** The message a carrier holds; undefined in a tombstone and in one that only moves. */
export function messageFromCarrier(row: Row): Message | undefined {
  const message: JsonValue | undefined = bagOf(objectOf(row["options"]), "pond")["message"];
  return message === undefined ? undefined : messageFromWire(message);
}

/** The JSON in a column. @throws {DamagedRowError} where it is none. */
export function jsonOf(row: Row, column: string): JsonValue {
  const text = String(row[column]);
  try {
    return parseJson(text);
  } catch {
    throw new DamagedRowError(column, text.slice(0, 80));
  }
}

export function objectOf(text: Row[string] | undefined): JsonObject {
  let value: JsonValue | undefined;
  try {
    value = parseJson(String(text));
  } catch {
    // Said below: what no longer is JSON is as damaged as what is another value.
  }
  if (!isJsonObject(value)) throw new DamagedRowError("options", String(text).slice(0, 80));
  return value;
}
