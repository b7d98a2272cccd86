import type { SessionStore } from "@pond/sessions";
import { windowText } from "@pond/sessions/search";
import { type Filter, type FullTextQuery, type Row, rowId } from "@pond/substrate";
import { bestRows, byBm25 } from "./best-rows.ts";
import { indexBounds, textBounds, toBoundsCheck } from "./bounds.ts";
import { cutForms, indexForms } from "./case-folding.ts";
import { bestAcceptedRows, collectHits, type Hits } from "./collect-hits.ts";
import { hasPairs, toCoverage } from "./coverage.ts";
import { type FoundMessage, messageColumns, textOf, toFoundMessages } from "./message.ts";
import { contentTerms, fullWeight, type ParsedQuery, type Term } from "./query.ts";
import { weights } from "./weights.ts";
import { inCamelCase, isCutByIndex, wordsOf } from "./words.ts";

/** A message that an arm found, together with its text, because a second read would cost more. */
export type MessageHit = FoundMessage & {
  /** BM25. */
  readonly score: number;
  /**
   * BM25, raised by how much of the query the message holds, and how much of it side by side. Hits
   * are ranked by this.
   */
  readonly rank: number;
};

/** A window that an arm found. */
export type WindowHit = {
  readonly sessionId: string;
  /** Ids of its messages as JSON text, which is parsed for few windows. */
  readonly messageIds: string;
  /** BM25, raised by how many of the query's words stand side by side as they do in the query. */
  readonly score: number;
};

const messageDepth = 60;
const windowDepth = 40;

/** The messages that hold the query's words, best BM25 first. */
export async function messageArm(
  sessions: SessionStore,
  query: ParsedQuery,
  where: Filter | undefined,
): Promise<Hits<MessageHit>> {
  const ask = (within: Filter | undefined): Promise<MessageHit[]> =>
    bestMessages(sessions, query, within, messageDepth);
  return collectHits(ask, where, messageDepth);
}

/** The best of these messages, ranked as the message arm ranks them. */
export async function bestMessages(
  sessions: SessionStore,
  query: ParsedQuery,
  where: Filter | undefined,
  limit: number,
): Promise<MessageHit[]> {
  const messages = sessions.store.table("messages");
  const search = { column: "search_text", query: messageQuery(query) };
  const meetsBounds = toBoundsCheck(textBounds(query));
  const isKept = (row: Row): boolean => meetsBounds(textOf(row));
  const coverage = toCoverage(query);
  const perFunctionWord = contentTerms(query.terms) === query.terms ? 0 : weights.functionWord;
  const asked = { where, limit, columns: messageColumns };
  const rows = await bestAcceptedRows(byBm25(messages, search), asked, isKept);
  const found = await toFoundMessages(sessions, rows, (row) => ({ score: scoreOf(row) }));
  return found.map((message) => {
    const { share, functionWords, sideBySide } = coverage(message.text);
    const score = message.score + functionWords * perFunctionWord;
    const closeness = 1 + weights.sideBySide * sideBySide;
    return { ...message, rank: score * (1 + weights.coverage * share) * closeness };
  });
}

/** The windows whose messages together hold the query's words, best first. */
export async function windowArm(
  { store }: SessionStore,
  query: ParsedQuery,
  where: Filter | undefined,
): Promise<Hits<WindowHit>> {
  const search = { column: "text", query: windowQuery(query) };
  // The text only serves to tell which words stand side by side, and reading it takes half of the
  // time.
  const text = hasPairs(query) ? ["text"] : [];
  const asked = { limit: windowDepth, columns: ["session_id", "message_ids", ...text, rowId] };
  const index = byBm25(store.table("windows"), search);
  const coverage = toCoverage(query);
  const toHit = (row: Row): WindowHit => {
    const { sideBySide } = coverage(String(row["text"] ?? ""));
    return {
      sessionId: String(row["session_id"]),
      messageIds: String(row["message_ids"]),
      score: scoreOf(row) * (1 + weights.sideBySide * sideBySide),
    };
  };
  const ask = async (within: Filter | undefined): Promise<WindowHit[]> => {
    const rows = await bestRows(index, { ...asked, where: within });
    return rows.map(toHit).toSorted((left, right) => right.score - left.score);
  };
  return collectHits(ask, where, windowDepth);
}

/** The query that is put to the index of messages. */
export function messageQuery(query: ParsedQuery): FullTextQuery {
  return boundedQuery(contentTerms(query.terms), indexBounds(query), indexForms, phraseOrWords);
}

/** The query that is put to the index of windows, which knows no positions. */
export function windowQuery(query: ParsedQuery): FullTextQuery {
  const { required, excluded } = indexBounds(query);
  const bounds = { required, excluded: excluded.filter(isOneWord) };
  return boundedQuery(query.terms, bounds, windowForms, allWords);
}

function windowForms(text: string): string[] {
  return cutForms(text, windowText);
}

/**
 * The query that puts messages with a literal first: its words in a row, or joined in camelCase.
 */
export function literalQuery(query: ParsedQuery, literal: string): FullTextQuery {
  const { required, excluded } = indexBounds(query);
  const held = anyOf([literal, ...inCamelCase(literal)].flatMap(indexForms), phraseOrWords);
  if (required.length + excluded.length === 0) return held;
  const must = required.map((text) => anyOf(indexForms(text), phraseOrWords));
  return { must: [held, ...must], mustNot: noneOf(excluded.flatMap(indexForms), phraseOrWords) };
}

function boundedQuery(
  terms: readonly Term[],
  { required, excluded }: Pick<ParsedQuery, "required" | "excluded">,
  toForms: (text: string) => readonly string[],
  toClause: (text: string) => FullTextQuery,
): FullTextQuery {
  // A word said four times weighs four times as much: one match query over all words takes 2 ms
  // where a boolean query of two boosted ones takes 14. If all words have the same weight, each is
  // said once and the score is scaled up: that saves a sixth of the time, and a quarter for
  // windows.
  const divisor = terms.map(({ weight }) => weight).reduce(commonDivisor, 0);
  const words = terms.flatMap(({ word, weight }) =>
    toForms(word).flatMap((form): string[] => Array(weight / divisor).fill(form)),
  );
  const any = { terms: words.join(" "), boost: Math.max(divisor, 1) };
  if (required.length + excluded.length === 0) return any;
  return {
    must: required.map((text) => anyOf(toForms(text), toClause)),
    should: [any],
    mustNot: noneOf(excluded.flatMap(toForms), toClause),
  };
}

/** A query for any of the texts. */
function anyOf(texts: readonly string[], toClause: (text: string) => FullTextQuery): FullTextQuery {
  const should = texts.map(toClause);
  const [clause, ...others] = should;
  return clause !== undefined && others.length === 0 ? clause : { should };
}

/**
 * A query for none of the texts. Words form one clause together, because each clause takes as long
 * as a search.
 */
function noneOf(
  texts: readonly string[],
  toClause: (text: string) => FullTextQuery,
): FullTextQuery[] {
  const { words = [], phrases = [] } = Object.groupBy(texts, (text) =>
    isOneWord(text) ? "words" : "phrases",
  );
  const anyWord = words.length > 0 ? [{ terms: words.join(" ") }] : [];
  return [...anyWord, ...phrases.map(toClause)];
}

/** The greatest number that divides both; every number divides 0. */
function commonDivisor(left: number, right: number): number {
  return right === 0 ? left : commonDivisor(right, left % right);
}

// The index takes the square of a phrase's length: 12 s for 4,000 words.
const phraseWords = 32;

/** The words of a text in a row; for a long text, the first of them. */
export function phraseOrWords(text: string): FullTextQuery {
  const words = wordsOf(text);
  if (words.length === 1 && !words.some(isCutByIndex)) return allWords(text);
  return { phrase: words.length > phraseWords ? words.slice(0, phraseWords).join(" ") : text };
}

function allWords(text: string): FullTextQuery {
  return { terms: text, operator: "and" };
}

function isOneWord(text: string): boolean {
  return wordsOf(text).length === 1;
}

/** The BM25 as if each word had been put to the index once. */
export function scoreOf(row: Row): number {
  return Number(row["_score"]) / fullWeight;
}
