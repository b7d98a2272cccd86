import type { SessionStore } from "@pond/sessions";
import type { Found } from "./candidates.ts";
import { type Hits, sessionsWanted } from "./collect-hits.ts";
import type { Scope } from "./filter.ts";
import { type MessageHit, messageArm, type WindowHit, windowArm } from "./full-text.ts";
import { indexedLiteral, type LiteralHits, withScannedHits } from "./literal.ts";
import { findLiterals, literalArm } from "./literal-arm.ts";
import { isWholeMatch, type LiteralHit } from "./literal-hits.ts";
import { isScoredByLiteral, type ParsedQuery } from "./query.ts";
import { substringArm } from "./substrings.ts";
import { isUnspaced, matchesOnlyWhole } from "./words.ts";

/** What the arms for words and characters found. */
export type LexicalHits = {
  readonly messages: Hits<MessageHit>;
  readonly windows: Hits<WindowHit>;
  readonly literals: Hits<LiteralHit>;
  /** True if every text in bounds was searched for the query as it stands. */
  readonly isScanned: boolean;
};

/** The scope of these arms. */
export type ArmScope = Pick<Scope, "messages" | "windows"> & {
  /** True if windows list only what messages in bounds prove. */
  readonly mustCheckWindows: boolean;
};

/** A way to ask these arms. */
export type LexicalSearch = (
  sessions: SessionStore,
  query: ParsedQuery,
  scope: ArmScope,
) => Promise<LexicalHits>;

const noHits = { hits: [], isCut: false };
/** Not asked yet. */
const notAsked = { hits: [], isCut: true };

/** Asks the arms for words, all at once. */
export async function searchWords(
  sessions: SessionStore,
  query: ParsedQuery,
  { messages: where, windows: whereWindows }: ArmScope,
): Promise<LexicalHits> {
  const hasWords = query.terms.length > 0;
  const [messages, windows, perLiteral] = await Promise.all([
    hasWords ? messageArm(sessions, query, where) : noHits,
    hasWords ? windowArm(sessions, query, whereWindows) : noHits,
    findLiterals(sessions, query, where),
  ]);
  const found = { messages: messages.hits, windows: windows.hits };
  const literals = await literalArm(sessions, query, where, perLiteral, found);
  const isScanned = query.literals.some((literal, at) =>
    isQueryScanned(query, literal, perLiteral[at]),
  );
  return { messages, windows, literals, isScanned };
}

/**
 * Asks for a query that is one name or phrase: messages that hold it as it stands come first
 * anyway. If they fill a page, nothing else is searched. Windows are not searched if any such
 * message is found: what they add comes last, if an answer reads on that far, and their votes alone
 * are not worth a search.
 */
export async function searchLiteral(
  sessions: SessionStore,
  query: ParsedQuery,
  scope: ArmScope,
): Promise<LexicalHits> {
  const [literal = ""] = query.literals;
  // In a script without spaces, it is mostly a short word: many messages hold it, and no more is
  // needed.
  const asked = isUnspaced(literal) ? undefined : messageArm(sessions, query, scope.messages);
  const answer = async (): Promise<LexicalHits> => {
    const indexed = await indexedLiteral(sessions, query, literal, scope.messages);
    const whole = indexed.hits.filter(isWholeMatch);
    const scored = isScoredByLiteral(query) ? whole.flatMap(toMessageHit) : [];
    if (new Set(scored.map(({ sessionId }) => sessionId)).size >= sessionsWanted) {
      // There is more: at least messages that hold it less exactly.
      const isCut = true;
      const messages = { hits: scored, isCut };
      return { messages, windows: notAsked, literals: { hits: whole, isCut }, isScanned: false };
    }
    const [messages, windows, [literals = noHits]] = await Promise.all([
      asked ?? messageArm(sessions, query, scope.messages),
      whole.length > 0 || scope.mustCheckWindows
        ? notAsked
        : windowArm(sessions, query, scope.windows),
      withScannedHits(sessions, query, [indexed]),
    ]);
    return { messages, windows, literals, isScanned: isQueryScanned(query, literal, literals) };
  };
  // The literal is searched first; what it lacks is searched while the message arm still runs.
  const [lexical] = await Promise.all([answer(), asked]);
  return lexical;
}

/**
 * Adds what windows find after messages have found everything: the newest words of a revised
 * message.
 */
export async function searchWindows(
  sessions: SessionStore,
  query: ParsedQuery,
  { windows: where }: ArmScope,
): Promise<LexicalHits> {
  const windows = await windowArm(sessions, query, where);
  return { messages: noHits, windows, literals: noHits, isScanned: false };
}

/** A hit of the message arm for a message that holds all of the query. */
function toMessageHit({ score, ...hit }: LiteralHit): MessageHit[] {
  return score === undefined ? [] : [{ ...hit, score, rank: score }];
}

/** Looks for the query as it stands, even inside words. */
export async function searchCharacters(
  sessions: SessionStore,
  query: ParsedQuery,
  { messages: where }: ArmScope,
): Promise<LexicalHits> {
  const [literals = noHits] = await substringArm(sessions, query, [query.text], where);
  return { messages: noHits, windows: noHits, literals, isScanned: true };
}

/** True if all texts were read for the query as it stands, or for a piece of it that none holds. */
function isQueryScanned(
  { text }: ParsedQuery,
  literal: string,
  found: LiteralHits | undefined,
): boolean {
  if (found?.isScanned !== true) return false;
  if (literal === text) return true;
  // Such a name is left out inside a longer one, which may be what the query goes on with.
  return found.hits.length === 0 && text.includes(literal) && !matchesOnlyWhole(literal);
}

/** True if words and characters found nothing. */
export function isEmpty({ messages, windows, literals }: Omit<Found, "vectors">): boolean {
  return messages.length + windows.length + literals.length === 0;
}
