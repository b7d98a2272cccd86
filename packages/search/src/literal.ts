import type { SessionStore } from "@pond/sessions";
import { inOneForm } from "@pond/sessions/search";
import { and, containsInAnyCase, type Filter, or, type Row, type Table } from "@pond/substrate";
import { textBounds, toMeetsBounds } from "./bounds.ts";
import { literalQuery, phraseOrWords } from "./full-text.ts";
import { type FoundMessage, foundColumns, textOf, toFound } from "./message.ts";
import { isBound, type ParsedQuery } from "./query.ts";
import { deepHits, type Hits, keptRows, without } from "./rounds.ts";
import { inSmallLetters } from "./small-letters.ts";
import { byBm25 } from "./ties.ts";
import {
  holdsWhole,
  inCamelCase,
  innerWords,
  isHangul,
  isKey,
  isNoPart,
  isShortName,
  isUnspaced,
  wordsOf,
} from "./words.ts";

const literalDepth = 40;
const scanDepth = 400;

// The very characters, by themselves; in another case; inside of a longer word, or in camelCase; and
// the same words in a row, with something else between them. Below the second each gap is wider than
// what the other arms can make up for (`weights`): what holds the very name comes first.
const exactly = 1;
const inAnotherCase = 0.99;
const insideWord = 0.65;
export const inWords = 0.3;

/** A message that holds literals. */
export type LiteralHit = FoundMessage & {
  /** How many of the query's literals it holds, and how exactly: 0 to 1. */
  readonly share: number;
  /** BM25 of the words of the literal it was found by; undefined where a scan found it. */
  readonly score?: number;
};

/** True where a message holds the literal as it stands, or in another case. */
export function isHeldWhole({ share }: LiteralHit): boolean {
  return share >= inAnotherCase;
}

/**
 * The messages that hold this very text, or it in another case. Reads every text in scope, but where
 * few have the words inside of it.
 */
export async function substringArm(
  sessions: SessionStore,
  query: ParsedQuery,
  text: string,
  where: Filter | undefined,
): Promise<Hits<LiteralHit>> {
  const meetsBounds = toMeetsBounds(query);
  const isNarrow = isBound(query) || isNoPart(text);
  const messages = sessions.store.table("messages");
  const found: LiteralHit[] = [];
  for await (const rows of rowsHolding(messages, text, { where, isNarrow })) {
    const within = rows.filter(
      (row) =>
        meetsBounds(textOf(row)) &&
        (!isNoPart(text) || exactness(textOf(row), text) >= inAnotherCase),
    );
    found.push(...(await literalHits(sessions, within, text)));
    if (found.length >= scanDepth) break;
  }
  const hits = found.toSorted(byShare).slice(0, literalDepth);
  return { hits, isCut: found.length > literalDepth };
}

// To read more by the index takes longer than to read all.
const innerDepth = 100;

type Holding = {
  readonly where: Filter | undefined;
  /** True where not all of these rows are wanted. */
  readonly isNarrow: boolean;
};

/** The rows of messages that hold a text, as they are found. */
async function* rowsHolding(
  messages: Table,
  text: string,
  { where, isNarrow }: Holding,
): AsyncGenerator<Row[]> {
  const words = innerWords(text);
  if (words.length > 0 && (await messages.knowsPhrases("search_text"))) {
    const search = { column: "search_text", query: phraseOrWords(words.join(" ")) };
    const asked = { where, limit: innerDepth, columns: foundColumns };
    const rows = await messages.fullText({ ...search, ...asked });
    if (rows.length < innerDepth) {
      // That score is of a few of its words.
      yield rows.filter((row) => holds(row, text)).map(({ _score, ...row }) => row);
      return;
    }
  }
  // What was stored before `search_text` held every text in one form may be in the other.
  const forms = new Set([text, text.normalize("NFD")]);
  const isHeld = or(...[...forms].map((form) => containsInAnyCase("search_text", form)));
  yield* messages.scan({
    columns: foundColumns,
    where: where ? and(where, isHeld) : isHeld,
    // Of the first of many none may meet what the scan cannot be asked for.
    limit: isNarrow ? undefined : scanDepth,
  });
}

function holds(row: Row, text: string): boolean {
  return inSmallLetters(inOneForm(textOf(row))).includes(inSmallLetters(text));
}

/** What holds a literal. */
export type LiteralHits = Hits<LiteralHit> & {
  /** True where every text in scope was read for it. */
  readonly isScanned?: boolean;
};

/** What the index says of a literal. */
export type IndexedLiteral = Hits<LiteralHit> & {
  /** Adds what the index cannot tell of, where there may be any. */
  readonly beyond: () => Promise<LiteralHits>;
};

/** The messages that hold the words of a literal in a row, those with most BM25 first. */
export async function indexedLiteral(
  sessions: SessionStore,
  query: ParsedQuery,
  literal: string,
  where: Filter | undefined,
): Promise<IndexedLiteral> {
  const words = wordsOf(literal);
  const meetsBounds = toMeetsBounds(textBounds(query));
  const search = { column: "search_text", query: literalQuery(query, literal) };
  const index = byBm25(sessions.store.table("messages"), search);
  const ask = async (within: Filter | undefined): Promise<LiteralHit[]> => {
    if (words.length === 0) return [];
    const asked = { where: within, limit: literalDepth, columns: foundColumns };
    const rows = await keptRows(index, asked, (row) => meetsBounds(textOf(row)));
    return literalHits(sessions, rows, literal);
  };
  const { hits, isCut } = await deepHits(ask, where, literalDepth);
  const isWhole = hits.some(isHeldWhole);
  const isServed = words.join(" ") === literal && !isUnspaced(literal);
  // Of `__add__` the index knows "add" alone, and that may be everywhere; of a Korean phrase none
  // whose last word goes on in a particle.
  const isVague = !isServed && (words.length <= 1 || isHangul(words.at(-1) ?? ""));
  // More of them hold it whole than are looked at: a scan would add others in no order.
  const isFull = isCut && hits.every(isHeldWhole);
  // A phrase of plain words the index has or has not; a scan would read everything in scope. So it
  // is with `a_b` and `POND-58`, but where too many hold `a b`, or a dictionary cuts.
  const isName = isShortName(literal) || isKey(literal);
  const isKnownName = isName && !isUnspaced(literal) && !isCut;
  const isPhrase = words.length > 1 && (isServed || isKnownName);
  // Nobody said that a line is there as it stands.
  const isEnough = literal === query.line || isPhrase || isFull || (isWhole && !isVague);
  const beyond = async (): Promise<LiteralHits> => {
    // Where the bounds alone leave it out, no longer word is meant.
    const isAll = isEnough || (where && !isVague && (await isKnown(sessions, literal)));
    if (isAll) return { hits, isCut };
    const known = new Set(hits.map(({ row }) => row));
    // Sessions that hold it often would be all that a scan finds.
    const held = hits.length < literalDepth ? [] : hits.filter(isHeldWhole);
    const others = without(new Set(held.map(({ sessionId }) => sessionId)), where);
    const anywhere = await substringArm(sessions, query, literal, others);
    const more = anywhere.hits.filter(({ row }) => !known.has(row));
    return { hits: [...hits, ...more], isCut: isCut || anywhere.isCut, isScanned: true };
  };
  return { hits, isCut, beyond };
}

const knownDepth = 5;

/** True where the index finds the literal as it stands in any message. */
async function isKnown({ store }: SessionStore, literal: string): Promise<boolean> {
  const rows = await store.table("messages").fullText({
    column: "search_text",
    query: phraseOrWords(literal),
    columns: ["search_text"],
    limit: knownDepth,
  });
  return rows.some((row) => exactness(String(row["search_text"]), literal) >= inAnotherCase);
}

async function literalHits(
  sessions: SessionStore,
  rows: readonly Row[],
  literal: string,
): Promise<LiteralHit[]> {
  const found = await toFound(sessions, rows, ({ _score: score }) =>
    score === undefined ? {} : { score: Number(score) },
  );
  return found.map((message) => ({ ...message, share: exactness(message.text, literal) }));
}

/** What a scan finds has no score: of what holds it alike the newest come first. */
function byShare(left: LiteralHit, right: LiteralHit): number {
  return right.share - left.share || Number(right.timestamp - left.timestamp);
}

/** How exactly a text holds a literal whose words it has in a row. */
export function exactness(stored: string, literal: string): number {
  const text = inOneForm(stored);
  if (holdsWhole(text, literal)) return exactly;
  const [lowText, lowLiteral] = [inSmallLetters(text), inSmallLetters(literal)];
  if (holdsWhole(lowText, lowLiteral)) return inAnotherCase;
  const forms = isNoPart(literal) ? [] : [lowLiteral, ...inCamelCase(lowLiteral)];
  return forms.some((form) => lowText.includes(form)) ? insideWord : inWords;
}
