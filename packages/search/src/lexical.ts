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
import { isNoPart, isUnspaced } from "./words.ts";

/** What the arms for words and characters found. */
export type Lexical = {
  readonly messages: Hits<MessageHit>;
  readonly windows: Hits<WindowHit>;
  readonly literals: Hits<LiteralHit>;
  /** True if every text in bounds was searched for the query as it stands. */
  readonly isScanned: boolean;
};

/** The scope of these arms. */
export type Bounds = Pick<Scope, "messages" | "windows"> & {
  /** True if windows list only what messages in bounds prove. */
  readonly isSure: boolean;
};

/** A way to ask these arms. */
export type Ask = (sessions: SessionStore, query: ParsedQuery, bounds: Bounds) => Promise<Lexical>;

const nothing = { hits: [], isCut: false };
/** Not asked yet. */
const later = { hits: [], isCut: true };

/** Asks the arms for words, all at once. */
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
 * Asks for a query that is one name or phrase: messages that hold it as it stands come first
 * anyway. If they fill a page, nothing else is searched. Windows are not searched if any such
 * message is found: what they add comes last, if an answer reads on that far, and their votes alone
 * are not worth a search.
 */
export async function byLiteral(
  sessions: SessionStore,
  query: ParsedQuery,
  bounds: Bounds,
): Promise<Lexical> {
  const [literal = ""] = query.literals;
  // In a script without spaces, it is mostly a short word: many messages hold it, and no more is
  // needed.
  const asked = isUnspaced(literal) ? undefined : messageArm(sessions, query, bounds.messages);
  const answer = async (): Promise<Lexical> => {
    const indexed = await indexedLiteral(sessions, query, literal, bounds.messages);
    const whole = indexed.hits.filter(isHeldWhole);
    const scored = isScoredByLiteral(query) ? whole.flatMap(toMessageHit) : [];
    if (new Set(scored.map(({ sessionId }) => sessionId)).size >= sessionsWanted) {
      // There is more: at least messages that hold it less exactly.
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
  // The literal is searched first; what it lacks is searched while the message arm still runs.
  const [lexical] = await Promise.all([answer(), asked]);
  return lexical;
}

/**
 * Adds what windows find after messages have found everything: the newest words of a revised
 * message.
 */
export async function byWindows(
  sessions: SessionStore,
  query: ParsedQuery,
  { windows: where }: Bounds,
): Promise<Lexical> {
  const windows = await windowArm(sessions, query, where);
  return { messages: nothing, windows, literals: nothing, isScanned: false };
}

/** A hit of the message arm for a message that holds all of the query. */
function toMessageHit({ score, ...hit }: LiteralHit): MessageHit[] {
  return score === undefined ? [] : [{ ...hit, score, rank: score }];
}

/** Looks for the query as it stands, even inside words. */
export async function byCharacters(
  sessions: SessionStore,
  query: ParsedQuery,
  { messages: where }: Bounds,
): Promise<Lexical> {
  const [literals = nothing] = await substringArm(sessions, query, [query.text], where);
  return { messages: nothing, windows: nothing, literals, isScanned: true };
}

/** True if all texts were read for the query as it stands, or for a piece of it that none holds. */
function isScan({ text }: ParsedQuery, literal: string, found: LiteralHits | undefined): boolean {
  if (found?.isScanned !== true) return false;
  if (literal === text) return true;
  // Such a name is left out inside a longer one, which may be what the query goes on with.
  return found.hits.length === 0 && text.includes(literal) && !isNoPart(literal);
}

/** True if words and characters found nothing. */
export function isEmpty({ messages, windows, literals }: Omit<Found, "vectors">): boolean {
  return messages.length + windows.length + literals.length === 0;
}
