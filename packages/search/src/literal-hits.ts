import type { SessionStore } from "@pond/sessions";
import { normalizeText } from "@pond/sessions/search";
import type { Row } from "@pond/substrate";
import { foldCase } from "./case-folding.ts";
import { type FoundMessage, toFoundMessages } from "./message.ts";
import { holdsWhole, inCamelCase, matchesOnlyWhole } from "./words.ts";

// The exact characters, on their own; in another case; inside a longer word, or in camelCase; the
// same words in a row, with something else between them. Below the second, each gap is wider than
// the other arms can make up for (`weights`), so messages that hold the exact name come first.
const exactShare = 1;
export const otherCaseShare = 0.99;
const insideWordShare = 0.65;
export const wordsOnlyShare = 0.3;

/** A message that holds literals. */
export type LiteralHit = FoundMessage & {
  /** How many of the query's literals it holds, and how exactly: 0 to 1. */
  readonly share: number;
  /** BM25 of the words of the literal that found it; undefined if a scan found it. */
  readonly score?: number;
};

/** True if a message holds the literal as it stands, or in another case. */
export function isWholeMatch({ share }: LiteralHit): boolean {
  return share >= otherCaseShare;
}

/** Turns rows into messages that hold a literal, or its words. */
export async function literalHits(
  sessions: SessionStore,
  rows: readonly Row[],
  literal: string,
): Promise<LiteralHit[]> {
  const found = await toFoundMessages(sessions, rows, ({ _score: score }) =>
    score === undefined ? {} : { score: Number(score) },
  );
  return found.map((message) => ({ ...message, share: exactness(message.text, literal) }));
}

/** How exactly a text holds a literal, if it has the literal's words in a row. */
export function exactness(stored: string, literal: string): number {
  const text = normalizeText(stored);
  if (holdsWhole(text, literal)) return exactShare;
  const [lowText, lowLiteral] = [foldCase(text), foldCase(literal)];
  if (holdsWhole(lowText, lowLiteral)) return otherCaseShare;
  const forms = matchesOnlyWhole(literal) ? [] : [lowLiteral, ...inCamelCase(lowLiteral)];
  return forms.some((form) => lowText.includes(form)) ? insideWordShare : wordsOnlyShare;
}
