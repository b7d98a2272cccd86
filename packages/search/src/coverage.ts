import { windowText } from "@pond/sessions";
import type { ParsedQuery } from "./query.ts";
import { isUnspaced } from "./words.ts";

/** Says how much of what a query asked for a text holds: its share of the words' weights, 0 to 1. */
export type Coverage = (text: string) => number;

// What a pasted log holds beyond this says little of what it is about.
const readChars = 8 * 1024;

/**
 * Measures texts against a query's words, cut as windows cut them, so that inflected forms count.
 * BM25 alone lets one rare word said often outrank a text that holds all of the words.
 */
export function toCoverage({ terms }: Pick<ParsedQuery, "terms">): Coverage {
  const weights = new Map<string, number>();
  for (const { word, weight } of terms) {
    const stem = windowText(word).toLowerCase();
    weights.set(stem, Math.max(weights.get(stem) ?? 0, weight));
  }
  const stems = [...weights].map(([stem, weight]) => ({ stem, weight, ...endsOf(stem) }));
  const total = stems.reduce((sum, { weight }) => sum + weight, 0);
  return (text) => {
    const lower = text.slice(0, readChars).toLowerCase();
    const held = stems.reduce((sum, each) => (holds(lower, each) ? sum + each.weight : sum), 0);
    return total === 0 ? 0 : held / total;
  };
}

type Stem = {
  readonly stem: string;
  readonly startsWord: boolean;
  readonly endsWord: boolean;
};

/** A word that was cut goes on in the text; another ends. Unspaced scripts have neither end. */
function endsOf(stem: string): Omit<Stem, "stem"> {
  const isSpaced = !isUnspaced(stem);
  return { startsWord: isSpaced, endsWord: isSpaced && windowText(`${stem}a`) !== stem };
}

/** As a regular expression with lookaround would, in half the time. */
function holds(text: string, { stem, startsWord, endsWord }: Stem): boolean {
  for (let at = text.indexOf(stem); at !== -1; at = text.indexOf(stem, at + 1)) {
    const isStart = !startsWord || !wordEnd.test(text.slice(Math.max(0, at - 2), at));
    const end = at + stem.length;
    if (isStart && !(endsWord && wordStart.test(text.slice(end, end + 2)))) return true;
  }
  return false;
}

const wordEnd = /[\p{L}\p{M}\p{N}]$/u;
const wordStart = /^[\p{L}\p{M}\p{N}]/u;
