import type { SessionStore } from "@pond/sessions";
import { and, contains, or, type Row } from "@pond/substrate";
import { type ArmOptions, type Hit, literalQuery } from "./full-text.ts";
import type { ParsedQuery } from "./query.ts";
import { isUnspaced, wordsOf } from "./words.ts";

const literalDepth = 40;
const columns = ["session_id", "id", "search_text"];

// The very characters; the same in another case; the same words in a row.
const exactly = 1;
const inAnotherCase = 0.9;
const inWords = 0.5;

/** A message that holds literals of the query; `score` is the share of them, 0 to 1. */
export type LiteralHit = Hit & {
  /** BM25 of the words in a row; 0 where only the characters were found. */
  readonly bm25: number;
};

/**
 * The messages that hold the query's literals exactly. The index finds their words in a row and
 * the text decides; what the index cannot serve - punctuation, part of a word, a short word of a
 * script without spaces - is looked for character by character.
 */
export async function literalArm(
  sessions: SessionStore,
  query: ParsedQuery,
  options: ArmOptions,
): Promise<LiteralHit[]> {
  const found = await Promise.all(
    query.literals.map((literal) => literalHits(sessions, query, literal, options)),
  );
  const share = 1 / Math.max(1, query.literals.length);
  const hits = new Map<string, LiteralHit>();
  for (const { sessionId, id, score, bm25 } of found.flat()) {
    const key = JSON.stringify([sessionId, id]);
    const known = hits.get(key);
    const sum = (known?.score ?? 0) + score * share;
    hits.set(key, { sessionId, id, score: sum, bm25: Math.max(known?.bm25 ?? 0, bm25) });
  }
  return [...hits.values()].toSorted((left, right) => right.score - left.score);
}

/** The messages that hold this very text, or it in another case. Reads every text in scope. */
export async function substringArm(
  sessions: SessionStore,
  query: ParsedQuery,
  text: string,
  { where, minScore }: Pick<ArmOptions, "where" | "minScore">,
): Promise<LiteralHit[]> {
  if (minScore > 0) return [];
  const cases = new Set([text, text.toLowerCase(), text.toUpperCase()]);
  const holds = or(...[...cases].map((each) => contains("search_text", each)));
  const rows = await sessions.store.table("messages").rows({
    columns,
    where: where ? and(where, holds) : holds,
    limit: literalDepth,
  });
  return rows
    .filter((row) => meetsBounds(String(row["search_text"]), query))
    .map((row) => literalHit(row, text, 0));
}

/** True where a text holds what a query requires and nothing it excludes, in any case. */
export function meetsBounds(
  text: string,
  { required, excluded }: Pick<ParsedQuery, "required" | "excluded">,
): boolean {
  if (required.length + excluded.length === 0) return true;
  const words = ` ${wordsOf(text.toLowerCase()).join(" ")} `;
  const holds = (wanted: string): boolean =>
    words.includes(` ${wordsOf(wanted.toLowerCase()).join(" ")} `);
  return required.every(holds) && !excluded.some(holds);
}

async function literalHits(
  sessions: SessionStore,
  query: ParsedQuery,
  literal: string,
  options: ArmOptions,
): Promise<LiteralHit[]> {
  const words = wordsOf(literal);
  const rows =
    words.length === 0
      ? []
      : await sessions.store.table("messages").fullText({
          column: "search_text",
          query: literalQuery(query, literal),
          where: options.where,
          columns,
          limit: literalDepth,
        });
  const hits = rows
    .map((row) => literalHit(row, literal, Number(row["_score"])))
    .filter(({ bm25 }) => bm25 >= options.minScore);
  const isFound = hits.some(({ score }) => score > inWords);
  const isServed = words.join(" ") === literal && !isUnspaced(literal);
  if (isFound || isServed) return hits;
  return [...hits, ...(await substringArm(sessions, query, literal, options))];
}

function literalHit(row: Row, literal: string, bm25: number): LiteralHit {
  const text = String(row["search_text"]);
  const score = text.includes(literal)
    ? exactly
    : text.toLowerCase().includes(literal.toLowerCase())
      ? inAnotherCase
      : inWords;
  return { sessionId: String(row["session_id"]), id: String(row["id"]), score, bm25 };
}
