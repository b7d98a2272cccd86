import { inOneForm, windowText } from "@pond/sessions/search";
import { functionWordWeight, type ParsedQuery } from "./query.ts";
import { inSmallLetters } from "./small-letters.ts";
import { isUnspaced } from "./words.ts";

/** What of a query a text holds. */
type Held = {
  /** Its share of the words' weights, 0 to 1. */
  readonly share: number;
  /** How many of the function words. */
  readonly functionWords: number;
};

/** Says what of a query a text holds. */
export type Coverage = (text: string) => Held;

// What a pasted log holds beyond this says little of what it is about.
const readChars = 8 * 1024;

/**
 * Measures texts against a query's words, cut as windows cut them, so that inflected forms count.
 * BM25 alone lets one rare word said often outrank a text that holds all of the words.
 */
export function toCoverage({ terms }: Pick<ParsedQuery, "terms">): Coverage {
  const weights = new Map<string, number>();
  for (const { word, weight } of terms) {
    const stem = stemOf(word);
    weights.set(stem, Math.max(weights.get(stem) ?? 0, weight));
  }
  const stems = [...weights].map(([stem, weight]) => ({ stem, weight, ...endsOf(stem) }));
  const total = stems.reduce((sum, { weight }) => sum + weight, 0);
  return (text) => {
    const lower = inSmallLetters(inOneForm(text.slice(0, readChars)));
    let [held, functionWords] = [0, 0];
    for (const each of stems) {
      if (!holds(lower, each)) continue;
      held += each.weight;
      if (each.weight === functionWordWeight) functionWords += 1;
    }
    return { share: total === 0 ? 0 : held / total, functionWords };
  };
}

type Stem = {
  readonly stem: string;
  readonly startsWord: boolean;
  readonly endsWord: boolean;
};

/** How the forms of a word begin, in small letters; all of `sqlite3`, which windows cut inside. */
function stemOf(word: string): string {
  const [whole, cut] = [inSmallLetters(word), inSmallLetters(windowText(word))];
  return whole.startsWith(cut) ? cut : whole;
}

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
