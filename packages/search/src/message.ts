import type { Row } from "@pond/substrate";

/** Names a message: its id is unique within its session only. */
export type MessageKey = { readonly sessionId: string; readonly id: string };

/** What is stored of a message that search shows. */
export type StoredText = {
  readonly role: string;
  readonly timestamp: bigint;
  readonly text: string;
};

/** Columns of `messages` that {@link keyOf} and {@link toStoredText} read. */
export const textColumns = ["session_id", "id", "role", "timestamp", "search_text"] as const;

export function keyOf(row: Row): MessageKey {
  return { sessionId: String(row["session_id"]), id: String(row["id"]) };
}

/** A key as text, for maps. */
export function keyText({ sessionId, id }: MessageKey): string {
  return `${sessionId}\n${id}`;
}

export function toStoredText(row: Row): StoredText {
  const timestamp = row["timestamp"];
  return {
    role: String(row["role"]),
    timestamp: typeof timestamp === "bigint" ? timestamp : 0n,
    text: String(row["search_text"] ?? ""),
  };
}
