import type { SessionStore } from "@pond/sessions";
import type { Found } from "./candidates.ts";
import type { Scope } from "./filter.ts";
import { type MessageHit, messageArm, type WindowHit, windowArm } from "./full-text.ts";
import { indexedLiteral, type LiteralHits, withUnread } from "./literal.ts";
import { eachLiteral, literalArm } from "./literal-arm.ts";
import { isHeldWhole, type LiteralHit } from "./literal-hits.ts";
import { isScoredByLiteral, type ParsedQuery } from "./query.ts";
import { type Hits, sessionsWanted } from "./rounds.ts";
import { substringArm } from "./substrings.ts";
import { isUnspaced } from "./words.ts";

/** What the arms that search words and characters say. */
export type Lexical = {
  readonly messages: Hits<MessageHit>;
  readonly windows: Hits<WindowHit>;
  readonly literals: Hits<LiteralHit>;
  /** True where every text in bounds was read for the query as it stands. */
  readonly isScanned: boolean;
};

/** Where they search. */
export type Bounds = Pick<Scope, "messages" | "windows"> & {
  /** True where windows list only what messages in bounds prove. */
  readonly isSure: boolean;
};

/** A way of asking these arms. */
export type Ask = (sessions: SessionStore, query: ParsedQuery, bounds: Bounds) => Promise<Lexical>;

const nothing = { hits: [], isCut: false };
/** Not asked yet. */
const later = { hits: [], isCut: true };

/** Asks the arms that search words, at once. */
export async function byWords(
  sessions: SessionStore,
  query: ParsedQuery,
  { messages: where, windows: whereWindows }: Bounds,
): Promise<Lexical> {
  const hasWords = query.terms.length > 0;
  const [messages, windows, ofEach] = await Promise.all([
    hasWords ? messageArm(sessions, query, where) : nothing,
    hasWords ? windowArm(sessions, query, whereWindows) : nothing,
    eachLiteral(sessions, query, where),
  ]);
  const found = { messages: messages.hits, windows: windows.hits };
  const literals = await literalArm(sessions, query, where, ofEach, found);
  const isScanned = query.literals.some((literal, at) => isScan(query, literal, ofEach[at]));
  return { messages, windows, literals, isScanned };
}

/**
 * A query that is one name or phrase: what holds it as it stands comes first anyway. Where that fills
 * a page nothing else is said, and windows are not asked where any is found: what they add comes
 * last, if an answer reads on so far. Their votes alone are not worth asking for.
 */
export async function byLiteral(
  sessions: SessionStore,
  query: ParsedQuery,
  bounds: Bounds,
): Promise<Lexical> {
  const [literal = ""] = query.literals;
  // Of a script without spaces it is a short word, mostly: it is in many, and no more is needed.
  const asked = isUnspaced(literal) ? undefined : messageArm(sessions, query, bounds.messages);
  const answer = async (): Promise<Lexical> => {
    const indexed = await indexedLiteral(sessions, query, literal, bounds.messages);
    const whole = indexed.hits.filter(isHeldWhole);
    const scored = isScoredByLiteral(query) ? whole.flatMap(toMessageHit) : [];
    if (new Set(scored.map(({ sessionId }) => sessionId)).size >= sessionsWanted) {
      // There is more: what holds it less exactly, if nothing else.
      const isCut = true;
      const messages = { hits: scored, isCut };
      return { messages, windows: later, literals: { hits: whole, isCut }, isScanned: false };
    }
    const [messages, windows, [literals = nothing]] = await Promise.all([
      asked ?? messageArm(sessions, query, bounds.messages),
      whole.length > 0 || bounds.isSure ? later : windowArm(sessions, query, bounds.windows),
      withUnread(sessions, query, [indexed]),
    ]);
    return { messages, windows, literals, isScanned: isScan(query, literal, literals) };
  };
  // The literal is found first, and what it lacks is asked for while the message arm goes on.
  const [lexical] = await Promise.all([answer(), asked]);
  return lexical;
}

/** What windows add where messages have said all: the newest words of a message that was revised. */
export async function byWindows(
  sessions: SessionStore,
  query: ParsedQuery,
  { windows: where }: Bounds,
): Promise<Lexical> {
  const windows = await windowArm(sessions, query, where);
  return { messages: nothing, windows, literals: nothing, isScanned: false };
}

/** What the message arm would say of a message that holds all of the query. */
function toMessageHit({ score, ...hit }: LiteralHit): MessageHit[] {
  return score === undefined ? [] : [{ ...hit, score, rank: score }];
}

/** Looks for the query as it stands, within words too. */
export async function byCharacters(
  sessions: SessionStore,
  query: ParsedQuery,
  { messages: where }: Bounds,
): Promise<Lexical> {
  const [literals = nothing] = await substringArm(sessions, query, [query.text], where);
  return { messages: nothing, windows: nothing, literals, isScanned: true };
}

/** True where all texts were read for the query as it stands, or for a piece of it that is in none. */
function isScan({ text }: ParsedQuery, literal: string, found: LiteralHits | undefined): boolean {
  if (found?.isScanned !== true) return false;
  return literal === text || (found.hits.length === 0 && text.includes(literal));
}

/** True where words and characters found nothing. */
export function isEmpty({ messages, windows, literals }: Omit<Found, "vectors">): boolean {
  return messages.length + windows.length + literals.length === 0;
}
