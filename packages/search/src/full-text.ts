import type { SessionStore } from "@pond/sessions";
import type { Filter, FullTextQuery, Row, Table } from "@pond/substrate";
import type { ParsedQuery } from "./query.ts";
import { fullWeight } from "./query.ts";
import { wordsOf } from "./words.ts";

/** A message or window an arm found. */
export type Hit = {
  readonly sessionId: string;
  /** Of the message, or of the window: the id of its first message. */
  readonly id: string;
  /** BM25. */
  readonly score: number;
};

export type WindowHit = Hit & {
  /** Ids of its messages, as JSON text: few windows are ever opened. */
  readonly messageIds: string;
};

export type ArmOptions = {
  readonly where: Filter | undefined;
  /** Least score of a hit. */
  readonly minScore: number;
  /** How many sessions an answer wants; an arm that one huge session fills looks again. */
  readonly sessions: number;
};

const messageDepth = 120;
const windowDepth = 60;
const roundsAtMost = 3;

/** The messages that hold the query's words, best first. */
export async function messageArm(
  { store }: SessionStore,
  query: ParsedQuery,
  options: ArmOptions,
): Promise<Hit[]> {
  const rows = await deepRows(store.table("messages"), options, {
    column: "search_text",
    query: messageQuery(query),
    columns: ["session_id", "id"],
    limit: messageDepth,
  });
  return rows.map(toHit).filter(({ score }) => score >= options.minScore);
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
    columns: ["session_id", "id", "message_ids"],
    limit: windowDepth,
  });
  return rows
    .map((row) => ({ ...toHit(row), messageIds: String(row["message_ids"]) }))
    .filter(({ score }) => score >= options.minScore);
}

/** What a query asks of messages. */
export function messageQuery(query: ParsedQuery): FullTextQuery {
  return bounded(query, phraseOrWords);
}

/** What a query asks of windows, whose index knows no positions. */
export function windowQuery(query: ParsedQuery): FullTextQuery {
  return bounded({ ...query, excluded: query.excluded.filter(isOneWord) }, allWords);
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

/** A row of an arm as a hit, its score that of words said once. */
export function toHit(row: Row): Hit {
  const score = Number(row["_score"]) / fullWeight;
  return { sessionId: String(row["session_id"]), id: String(row["id"]), score };
}
