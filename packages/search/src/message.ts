import { fromIndexed } from "@pond/sessions";
import { and, type Filter, oneOf, type Row, rowId } from "@pond/substrate";

/** Names a message: its id is unique within its session only. */
export type MessageKey = { readonly sessionId: string; readonly id: string };

/** What is stored of a message that search shows. */
export type StoredText = {
  readonly role: string;
  readonly timestamp: bigint;
  readonly text: string;
};

/** What an arm finds of a message: what ranking needs. Every column more is a read more a row. */
export type FoundMessage = {
  /** Its row, which names it while a search lasts. */
  readonly row: bigint;
  readonly sessionId: string;
  readonly text: string;
};

/** What is read of a found message where it may be shown. */
export type Head = { readonly id: string; readonly role: string; readonly timestamp: bigint };

/** Columns of `messages` that {@link toFoundMessage} reads. */
export const foundColumns: readonly string[] = ["session_id", "search_text", rowId];

/** Columns of `messages` that {@link rowOf} and {@link toHead} read. */
export const headColumns: readonly string[] = ["id", "role", "timestamp", rowId];

/** Columns of `messages` that {@link keyOf} and {@link toStoredText} read. */
export const textColumns = ["session_id", "id", "role", "timestamp", "search_text"] as const;

export function keyOf(row: Row): MessageKey {
  return { sessionId: String(row["session_id"]), id: String(row["id"]) };
}

/** A key as text, for maps. */
export function keyText({ sessionId, id }: MessageKey): string {
  return `${sessionId}\n${id}`;
}

/**
 * Rows of these messages. Pairs may cross, as what was not asked for is never looked up: to name
 * each pair takes the index twice as long.
 */
export function within(keys: readonly MessageKey[], column: string): Filter {
  return and(
    oneOf("session_id", [...new Set(keys.map(({ sessionId }) => sessionId))]),
    oneOf(column, [...new Set(keys.map(({ id }) => id))]),
  );
}

export function toFoundMessage(row: Row): FoundMessage {
  return { row: rowOf(row), sessionId: String(row["session_id"]), text: textOf(row) };
}

/** The row of a message that was read with {@link rowId}. */
export function rowOf(row: Row): bigint {
  return BigInt(row[rowId] as bigint);
}

export function toHead(row: Row): Head {
  const timestamp = row["timestamp"];
  return {
    id: String(row["id"]),
    role: String(row["role"]),
    timestamp: typeof timestamp === "bigint" ? timestamp : 0n,
  };
}

export function toStoredText(row: Row): StoredText {
  const { role, timestamp } = toHead(row);
  return { role, timestamp, text: textOf(row) };
}

function textOf(row: Row): string {
  return fromIndexed(String(row["search_text"] ?? ""));
}
