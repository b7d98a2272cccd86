import type { SessionStore } from "@pond/sessions";
import type { Filter } from "@pond/substrate";
import { byBm25 } from "./best-rows.ts";
import { textBounds, toBoundsCheck } from "./bounds.ts";
import { bestAcceptedRows, collectHits, excludingSessions, type Hits } from "./collect-hits.ts";
import { literalQuery, phraseOrWords } from "./full-text.ts";
import {
  exactness,
  isWholeMatch,
  type LiteralHit,
  literalHits,
  otherCaseShare,
} from "./literal-hits.ts";
import { messageColumns, textOf } from "./message.ts";
import type { ParsedQuery } from "./query.ts";
import { literalDepth, substringArm } from "./substrings.ts";
import { isHangul, isKey, isShortName, isUnspaced, wordsOf } from "./words.ts";

/** The messages that hold a literal. */
export type LiteralHits = Hits<LiteralHit> & {
  /** True if every text in scope was searched for it. */
  readonly isScanned?: boolean;
};

/** What the index finds for a literal. */
export type IndexedLiteral = Hits<LiteralHit> & {
  readonly literal: string;
  /** Where other messages may hold it that the index cannot find; undefined for nowhere. */
  readonly scopeToScan: () => Promise<Scope | undefined>;
};

type Scope = { readonly where: Filter | undefined };

/** The messages that hold the words of a literal in a row, the highest BM25 first. */
export async function indexedLiteral(
  sessions: SessionStore,
  query: ParsedQuery,
  literal: string,
  where: Filter | undefined,
): Promise<IndexedLiteral> {
  const words = wordsOf(literal);
  const meetsBounds = toBoundsCheck(textBounds(query));
  const search = { column: "search_text", query: literalQuery(query, literal) };
  const index = byBm25(sessions.store.table("messages"), search);
  const ask = async (within: Filter | undefined): Promise<LiteralHit[]> => {
    if (words.length === 0) return [];
    const asked = { where: within, limit: literalDepth, columns: messageColumns };
    const rows = await bestAcceptedRows(index, asked, (row) => meetsBounds(textOf(row)));
    return literalHits(sessions, rows, literal);
  };
  const { hits, isCut } = await collectHits(ask, where, literalDepth);
  const isWhole = hits.some(isWholeMatch);
  const isIndexable = words.join(" ") === literal && !isUnspaced(literal);
  // For `__add__` the index knows only "add", which may be everywhere. For a Korean phrase it
  // misses messages in which the last word continues with a particle.
  const isVague = !isIndexable && (words.length <= 1 || isHangul(words.at(-1) ?? ""));
  // More messages hold it whole than are looked at, so a scan would add others in no useful order.
  const isFull = isCut && hits.every(isWholeMatch);
  // The index knows whether it has a phrase of plain words; a scan would read everything in scope.
  // The same goes for `a_b` and `POND-58`, unless too many messages hold `a b` or a dictionary
  // cuts.
  const isName = isShortName(literal) || isKey(literal);
  const isKnownName = isName && !isUnspaced(literal) && !isCut;
  const isPhrase = words.length > 1 && (isIndexable || isKnownName);
  // A pasted line need not be in any text as it stands, so it is worth no scan.
  const isEnough = literal === query.line || isPhrase || isFull || (isWhole && !isVague);
  const scopeToScan = async (): Promise<Scope | undefined> => {
    // If others hold it as it stands and only the filters exclude them, no longer word is meant.
    const isAll = isEnough || (where && !isVague && (await isInIndex(sessions, literal)));
    if (isAll) return undefined;
    // Otherwise a scan would find nothing but sessions that hold it often.
    const held = hits.length < literalDepth ? [] : hits.filter(isWholeMatch);
    return { where: excludingSessions(new Set(held.map(({ sessionId }) => sessionId)), where) };
  };
  return { literal, hits, isCut, scopeToScan };
}

/** Adds messages that the index could not find. Texts needed for several literals are read once. */
export async function withScannedHits(
  sessions: SessionStore,
  query: ParsedQuery,
  indexed: readonly IndexedLiteral[],
): Promise<LiteralHits[]> {
  const scopes = await Promise.all(indexed.map(({ scopeToScan }) => scopeToScan()));
  const found = indexed.map(({ hits, isCut }): LiteralHits => ({ hits, isCut }));
  const toScan = indexed.flatMap((each, at) =>
    scopes[at] ? [{ ...each, ...scopes[at], at }] : [],
  );
  const byScope = Map.groupBy(toScan, ({ where }) => where);
  const read = async ([where, literals]: readonly [Filter | undefined, typeof toScan]) => {
    const texts = literals.map(({ literal }) => literal);
    const anywhere = await substringArm(sessions, query, texts, where);
    for (const [position, { at, hits, isCut }] of literals.entries()) {
      const more = anywhere[position] ?? { hits: [], isCut: false };
      const known = new Set(hits.map(({ row }) => row));
      const others = more.hits.filter(({ row }) => !known.has(row));
      found[at] = { hits: [...hits, ...others], isCut: isCut || more.isCut, isScanned: true };
    }
  };
  await Promise.all([...byScope].map(read));
  return found;
}

const indexedDepth = 5;

/** True if the index finds the literal as it stands in any message. */
async function isInIndex({ store }: SessionStore, literal: string): Promise<boolean> {
  const rows = await store.table("messages").fullText({
    column: "search_text",
    query: phraseOrWords(literal),
    columns: ["search_text"],
    limit: indexedDepth,
  });
  return rows.some((row) => exactness(String(row["search_text"]), literal) >= otherCaseShare);
}
