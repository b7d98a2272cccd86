import { type SessionStore, windowText } from "@pond/sessions";
import type { Filter, FullTextQuery, Row, Table } from "@pond/substrate";
import { keyOf, type MessageKey, type StoredText, textColumns, toStoredText } from "./message.ts";
import { fullWeight, type ParsedQuery } from "./query.ts";
import { wordsOf } from "./words.ts";

/** A message an arm found. Its text comes along: a second read would cost more. */
export type MessageHit = {
  readonly key: MessageKey;
  readonly message: StoredText;
  /** BM25. */
  readonly score: number;
};

/** A window an arm found. */
export type WindowHit = {
  readonly sessionId: string;
  /** Ids of its messages, as JSON text: few windows are ever opened. */
  readonly messageIds: string;
  readonly score: number;
};

export type ArmOptions = {
  readonly where: Filter | undefined;
  /** Least score of a hit. */
  readonly minScore: number;
  /** How many sessions an answer wants; an arm that one huge session fills looks again. */
  readonly sessions: number;
};

const messageDepth = 60;
const windowDepth = 40;
const roundsAtMost = 3;

/** The messages that hold the query's words, best first. */
export async function messageArm(
  { store }: SessionStore,
  query: ParsedQuery,
  options: ArmOptions,
): Promise<MessageHit[]> {
  const rows = await deepRows(store.table("messages"), options, {
    column: "search_text",
    query: messageQuery(query),
    columns: textColumns,
    limit: messageDepth,
  });
  return rows.map(toMessageHit).filter(({ score }) => score >= options.minScore);
}

/** The windows whose messages hold the query's words between them, best first. */
export async function windowArm(
  { store }: SessionStore,
  query: ParsedQuery,
  options: ArmOptions,
): Promise<WindowHit[]> {
  const rows = await deepRows(store.table("windows"), options, {
    column: "text",
    query: windowQuery(query),
    columns: ["session_id", "message_ids"],
    limit: windowDepth,
  });
  return rows
    .map((row) => ({
      sessionId: String(row["session_id"]),
      messageIds: String(row["message_ids"]),
      score: scoreOf(row),
    }))
    .filter(({ score }) => score >= options.minScore);
}

/** What a query asks of messages. */
export function messageQuery(query: ParsedQuery): FullTextQuery {
  return bounded(query, phraseOrWords);
}

/** What a query asks of windows, whose index knows no positions. */
export function windowQuery(query: ParsedQuery): FullTextQuery {
  const excluded = query.excluded.filter(isOneWord).map(windowText);
  const terms = query.terms.map(({ word, weight }) => ({ word: windowText(word), weight }));
  return bounded({ ...query, terms, required: query.required.map(windowText), excluded }, allWords);
}

/** What puts messages that hold a literal first: its words in a row. */
export function literalQuery(query: ParsedQuery, literal: string): FullTextQuery {
  const { required, excluded } = query;
  if (required.length + excluded.length === 0) return phraseOrWords(literal);
  return {
    must: [literal, ...required].map(phraseOrWords),
    mustNot: excluded.map(phraseOrWords),
  };
}

function bounded(
  { terms, required, excluded }: ParsedQuery,
  toClause: (text: string) => FullTextQuery,
): FullTextQuery {
  // A word said four times weighs four times as much, at no cost: one match query over all words
  // takes 2 ms where a boolean query of two boosted ones takes 14.
  const any = { terms: terms.flatMap(({ word, weight }) => Array(weight).fill(word)).join(" ") };
  if (required.length + excluded.length === 0) return any;
  return {
    must: required.map(toClause),
    should: [any],
    mustNot: excluded.map(toClause),
  };
}

function phraseOrWords(text: string): FullTextQuery {
  return isOneWord(text) ? allWords(text) : { phrase: text };
}

function allWords(text: string): FullTextQuery {
  return { terms: text, operator: "and" };
}

function isOneWord(text: string): boolean {
  return wordsOf(text).length === 1;
}

type Search = {
  readonly column: string;
  readonly query: FullTextQuery;
  readonly columns: readonly string[];
  readonly limit: number;
};

/** Rows of enough sessions: where a few sessions fill the list, the others are asked again. */
async function deepRows(table: Table, options: ArmOptions, search: Search): Promise<Row[]> {
  const rows: Row[] = [];
  const seen = new Set<string>();
  for (let round = 0; round < roundsAtMost; round += 1) {
    const found = await table.fullText({ ...search, where: without(seen, options.where) });
    rows.push(...found);
    for (const row of found) seen.add(String(row["session_id"]));
    if (found.length < search.limit || seen.size >= options.sessions) break;
  }
  return rows;
}

function without(sessionIds: ReadonlySet<string>, where: Filter | undefined): Filter | undefined {
  if (sessionIds.size === 0) return where;
  const others: Filter = {
    op: "not",
    filter: { op: "in", column: "session_id", values: [...sessionIds] },
  };
  return where ? { op: "and", filters: [where, others] } : others;
}

/** A row of {@link textColumns} that a full-text query found. */
function toMessageHit(row: Row): MessageHit {
  return { key: keyOf(row), message: toStoredText(row), score: scoreOf(row) };
}

/** BM25 as it is where each word is put to the index once. */
function scoreOf(row: Row): number {
  return Number(row["_score"]) / fullWeight;
}
