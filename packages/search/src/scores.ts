import type { SessionStore } from "@pond/sessions";
import { oneOf, rowId } from "@pond/substrate";
import type { Found } from "./candidates.ts";
import { messageQuery, scoreOf } from "./full-text.ts";
import {
  type FoundMessage,
  keyText,
  type MessageKey,
  messageColumns,
  rowOf,
  toFoundMessages,
  whereKeys,
} from "./message.ts";
import type { ParsedQuery } from "./query.ts";

/** A message and its BM25. */
export type ScoredMessage = FoundMessage & { readonly score: number };

/**
 * The BM25 of these messages, by key, as the message arm would give it; messages without any of the
 * words are left out. For hits of another arm, so that a score means the same on every path.
 */
export async function scoreMessages(
  sessions: SessionStore,
  query: ParsedQuery,
  keys: readonly MessageKey[],
): Promise<Map<string, ScoredMessage>> {
  if (keys.length === 0 || query.terms.length === 0) return new Map();
  const sessionIds = new Set(keys.map(({ sessionId }) => sessionId));
  const rows = await sessions.store.table("messages").fullText({
    column: "search_text",
    query: messageQuery(query),
    where: whereKeys(keys, "id"),
    columns: messageColumns,
    limit: keys.length * sessionIds.size,
  });
  const scored = await toFoundMessages(sessions, rows, (row) => ({ score: scoreOf(row) }));
  return new Map(scored.map((message) => [keyText(message), message]));
}

/** The BM25 of these messages, by row instead of by key as in {@link scoreMessages}. */
export async function scoreRows(
  { store }: SessionStore,
  query: ParsedQuery,
  rows: readonly bigint[],
): Promise<Map<bigint, number>> {
  if (rows.length === 0 || query.terms.length === 0) return new Map();
  const scored = await store.table("messages").fullText({
    column: "search_text",
    query: messageQuery(query),
    where: oneOf(rowId, rows),
    columns: [rowId],
    limit: rows.length,
  });
  return new Map(scored.map((row) => [rowOf(row), scoreOf(row)]));
}

/** Leaves out the messages with a lower score, whichever arm found them. */
export async function withMinScore(
  sessions: SessionStore,
  query: ParsedQuery,
  found: Found,
  minScore: number,
): Promise<Found> {
  if (minScore === 0) return found;
  const { messages, windows, literals, vectors } = found;
  const scores = new Map(messages.map(({ row, score }) => [row, score]));
  const unknown = [...literals, ...vectors].filter(({ row }) => !scores.has(row));
  const rows = [...new Set(unknown.map(({ row }) => row))];
  for (const [row, score] of await scoreRows(sessions, query, rows)) scores.set(row, score);
  const isEnough = ({ row }: FoundMessage): boolean =>
    // Compared as shown: otherwise a score that was rounded up would exclude its own message.
    rounded(scores.get(row) ?? 0) >= minScore;
  return {
    messages: messages.filter(isEnough),
    windows,
    literals: literals.filter(isEnough),
    vectors: vectors.filter(isEnough),
  };
}

/** A score as it is shown. */
export function rounded(score: number): number {
  return Math.round(score * 1e4) / 1e4;
}
