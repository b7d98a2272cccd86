import {
  fromHeadText,
  fromIndexed,
  type MessageHead,
  makeHeads,
  type SessionStore,
  searchable,
} from "@pond/sessions";
import { and, type Filter, oneOf, type Row, rowId } from "@pond/substrate";

/** Names a message: its id is unique within its session only. */
export type MessageKey = { readonly sessionId: string; readonly id: string };

/** A message that was found: all that is shown of it. */
export type FoundMessage = MessageHead & {
  /** Its row, which names it while a search lasts. */
  readonly row: bigint;
  readonly text: string;
};

/** Columns of `messages` that {@link toFound} reads. Every one more is a read more a row. */
export const foundColumns: readonly string[] = ["head", "search_text", rowId];

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

/** Found rows as messages, each with what `extra` reads of its row. */
export async function toFound<Extra extends object>(
  sessions: SessionStore,
  rows: readonly Row[],
  extra: (row: Row) => Extra,
): Promise<(FoundMessage & Extra)[]> {
  // What was stored before there were heads, until the next fold.
  const headless = rows.filter(({ head }) => head === null).map(rowOf);
  const made = await makeHeads(sessions, headless);
  return rows.flatMap((row) => {
    const { head: stored } = row;
    const head = stored === null ? made.get(rowOf(row)) : fromHeadText(String(stored));
    if (head === undefined) return [];
    return [{ ...head, row: rowOf(row), text: textOf(row), ...extra(row) }];
  });
}

/** These messages, as far as they are searchable. */
export async function loadMessages(
  sessions: SessionStore,
  keys: readonly MessageKey[],
): Promise<FoundMessage[]> {
  if (keys.length === 0) return [];
  const where = and(within(keys, "id"), searchable);
  const rows = await sessions.store.table("messages").rows({ columns: foundColumns, where });
  return toFound(sessions, rows, () => ({}));
}

/** The row of a message that was read with {@link rowId}. */
export function rowOf(row: Row): bigint {
  return BigInt(row[rowId] as bigint);
}

function textOf(row: Row): string {
  return fromIndexed(String(row["search_text"] ?? ""));
}
