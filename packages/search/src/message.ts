import { DamagedRowError, type SessionStore, searchable } from "@pond/sessions";
import { fromHeadText, fromIndexed, type MessageHead, makeHeads } from "@pond/sessions/search";
import { and, type Filter, oneOf, type Row, rowId } from "@pond/substrate";

/** Names a message. Its id is unique only within its session. */
export type MessageKey = { readonly sessionId: string; readonly id: string };

/** A found message with everything that is shown of it. */
export type FoundMessage = Omit<MessageHead, "parts"> & {
  /** Its row, which names it for the duration of a search. */
  readonly row: bigint;
  readonly text: string;
  /** Undefined if no head is stored, or a damaged one; {@link loadParts} then makes them. */
  readonly parts: MessageHead["parts"] | undefined;
};

/**
 * Columns of `messages` that {@link toFoundMessages} reads. Each column is read for every row that
 * is found.
 */
export const messageColumns: readonly string[] = ["head", "search_text", rowId];

/** A key as text, for maps. */
export function keyText({ sessionId, id }: MessageKey): string {
  return JSON.stringify([sessionId, id]);
}

/**
 * A filter for the rows of these messages. Sessions and ids may combine freely, because a message
 * that was not asked for is never looked up; naming each pair takes the index twice as long.
 */
export function whereKeys(keys: readonly MessageKey[], column: string): Filter {
  return and(
    oneOf("session_id", [...new Set(keys.map(({ sessionId }) => sessionId))]),
    oneOf(column, [...new Set(keys.map(({ id }) => id))]),
  );
}

/** Converts found rows to messages, each with what `extra` reads from its row. */
export async function toFoundMessages<Extra extends object>(
  sessions: SessionStore,
  rows: readonly Row[],
  extra: (row: Row) => Extra,
): Promise<(FoundMessage & Extra)[]> {
  const heads = new Map(rows.map((row) => [rowOf(row), readHead(row)]));
  const headless = [...heads].flatMap(([row, head]) => (head === undefined ? [row] : []));
  const made = await makeHeads(sessions, headless, false);
  return rows.flatMap((row) => {
    const stored = heads.get(rowOf(row));
    const head = stored ?? made.get(rowOf(row))?.head;
    if (head === undefined) return [];
    const found = { ...head, parts: stored?.parts, row: rowOf(row), text: textOf(row) };
    return [{ ...found, ...extra(row) }];
  });
}

/**
 * The parts of these messages, by row. They are read from the parts' own rows if the head does not
 * have them.
 */
export async function loadParts(
  sessions: SessionStore,
  messages: readonly FoundMessage[],
): Promise<Map<bigint, MessageHead["parts"]>> {
  const withoutParts = messages.flatMap(({ row, parts }) => (parts === undefined ? [row] : []));
  const made = await makeHeads(sessions, withoutParts);
  return new Map(messages.map(({ row, parts }) => [row, parts ?? made.get(row)?.head.parts ?? []]));
}

/** Undefined if there is none yet, until the next fold, or if it is damaged. */
function readHead({ head }: Row): MessageHead | undefined {
  if (head === null) return undefined;
  try {
    return fromHeadText(String(head));
  } catch (error) {
    if (error instanceof DamagedRowError) return undefined;
    throw error;
  }
}

/** These messages, as far as they are searchable and in scope. */
export async function loadMessages(
  sessions: SessionStore,
  keys: readonly MessageKey[],
  scope?: Filter,
): Promise<FoundMessage[]> {
  return loadRows(sessions, keys, scope ? and(searchable, scope) : searchable);
}

/** These messages, whatever they held when they were stored, as far as they match `where`. */
export async function loadRows(
  sessions: SessionStore,
  keys: readonly MessageKey[],
  where?: Filter,
): Promise<FoundMessage[]> {
  if (keys.length === 0) return [];
  const rows = await sessions.store.table("messages").rows({
    columns: messageColumns,
    where: and(whereKeys(keys, "id"), ...(where ? [where] : [])),
  });
  return toFoundMessages(sessions, rows, () => ({}));
}

/** The row of a message that was read with {@link rowId}. */
export function rowOf(row: Row): bigint {
  return BigInt(row[rowId] as bigint);
}

/** The text of a message that was read with its `search_text`. */
export function textOf(row: Row): string {
  return fromIndexed(String(row["search_text"] ?? ""));
}
