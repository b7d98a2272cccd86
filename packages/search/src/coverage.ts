import { normalizeText, windowText } from "@pond/sessions/search";
import { foldCase } from "./case-folding.ts";
import { functionWordWeight, type ParsedQuery } from "./query.ts";
import { isUnspaced, spacedWordCharacter, wordCharacter, wordsOf } from "./words.ts";

/** How much of a query a text holds. */
type CoverageResult = {
  /** The share of the words' weights that it holds, 0 to 1. */
  readonly share: number;
  /** The number of function words that it holds. */
  readonly functionWords: number;
  /** The share of the words side by side in the query that are side by side in the text, too. */
  readonly sideBySide: number;
};

/** Tells how much of a query a text holds. */
export type Coverage = (text: string) => CoverageResult;

// What a pasted log holds beyond this length says little about its topic.
const maxReadChars = 8 * 1024;

/**
 * Measures how many of a query's words a text holds. Words are cut as windows cut them, so that
 * inflected forms count. With BM25 alone, one rare word said often outranks a text that holds all
 * of the words.
 */
export function toCoverage(asked: QueryWords): Coverage {
  const stems = stemsOf(asked);
  const pairs = pairsOf(asked, stems);
  const total = weightOf(stems);
  const pairTotal = weightOf(pairs);
  return (text) => {
    const lower = foldCase(normalizeText(text.slice(0, maxReadChars)));
    const held = new Set(stems.filter((each) => indexOfStem(lower, each, 0) !== -1));
    const adjacent = pairs.filter(
      ({ first, second }) =>
        held.has(first) && held.has(second) && areAdjacent(lower, first, second),
    );
    return {
      share: total === 0 ? 0 : weightOf([...held]) / total,
      functionWords: [...held].filter(({ weight }) => weight === functionWordWeight).length,
      sideBySide: pairTotal === 0 ? 0 : weightOf(adjacent) / pairTotal,
    };
  };
}

/** True if the query has words side by side, so that a text can hold them that way. */
export function hasPairs(asked: QueryWords): boolean {
  return pairsOf(asked, stemsOf(asked)).length > 0;
}

type QueryWords = Pick<ParsedQuery, "terms"> & Partial<Pick<ParsedQuery, "text">>;

type Weighted = { readonly weight: number };

function weightOf(all: readonly Weighted[]): number {
  return all.reduce((sum, { weight }) => sum + weight, 0);
}

type Stem = {
  readonly stem: string;
  readonly startsWord: boolean;
  readonly endsWord: boolean;
};

type WeightedStem = Stem & Weighted;

type Pair = Weighted & { readonly first: WeightedStem; readonly second: WeightedStem };

/**
 * Each pair of words that stand side by side in a query, once. Words inside a name do not count:
 * another arm looks for the name itself.
 */
function pairsOf({ text: query = "" }: QueryWords, stems: readonly WeightedStem[]): Pair[] {
  const known = new Map(stems.map((each) => [each.stem, each]));
  const words = query
    .split(/\s+/)
    .flatMap((text, place) =>
      wordsOf(text).map((word) => ({ place, stem: known.get(stemOf(word)) })),
    );
  const pairs = new Map<string, Pair>();
  for (const [at, { place, stem: second }] of words.entries()) {
    const before = words[at - 1];
    const first = before?.stem;
    if (first === undefined || second === undefined) continue;
    if (before?.place === place && second.startsWord) continue;
    const weight = first.weight + second.weight;
    pairs.set(`${first.stem} ${second.stem}`, { first, second, weight });
  }
  return [...pairs.values()];
}

function stemsOf({ terms }: QueryWords): WeightedStem[] {
  const weights = new Map<string, number>();
  for (const { word, weight } of terms) {
    const stem = stemOf(word);
    weights.set(stem, Math.max(weights.get(stem) ?? 0, weight));
  }
  return [...weights].map(([stem, weight]) => ({ stem, weight, ...boundariesOf(stem) }));
}

/**
 * How the forms of a word begin, in lower case. A word such as `sqlite3`, which windows cut in the
 * middle, stays whole.
 */
export function stemOf(word: string): string {
  const whole = foldCase(word);
  const cut = windowText(whole);
  return whole.startsWith(cut) ? cut : whole;
}

/**
 * A word that was cut goes on in the text; any other ends there. In scripts without spaces, neither
 * end is known.
 */
function boundariesOf(stem: string): Omit<Stem, "stem"> {
  const isSpaced = !isUnspaced(stem);
  return { startsWord: isSpaced, endsWord: isSpaced && windowText(`${stem}a`) !== stem };
}

/**
 * Where a text next holds a stem, or -1. It matches as a regular expression would, in half the
 * time.
 */
function indexOfStem(text: string, stem: Stem, from: number): number {
  let at = text.indexOf(stem.stem, from);
  while (at !== -1 && !isWordAt(text, stem, at)) at = text.indexOf(stem.stem, at + 1);
  return at;
}

/** True if the stem at that place begins a word, and ends one unless it was cut. */
function isWordAt(text: string, { stem, startsWord, endsWord }: Stem, at: number): boolean {
  if (startsWord && wordEnd.test(text.slice(Math.max(0, at - 2), at))) return false;
  const end = at + stem.length;
  return !(endsWord && wordStart.test(text.slice(end, end + 2)));
}

/**
 * True if a word of the second stem follows a word of the first with nothing between that separates
 * them.
 */
function areAdjacent(text: string, first: Stem, second: Stem): boolean {
  for (let at = indexOfStem(text, first, 0); at !== -1; at = indexOfStem(text, first, at + 1)) {
    const cut = at + first.stem.length;
    const next = endOfRun(
      separatorRun,
      text,
      first.startsWord ? endOfRun(letterRun, text, cut) : cut,
    );
    if (text.startsWith(second.stem, next) && isWordAt(text, second, next)) return true;
  }
  return false;
}

function endOfRun(run: RegExp, text: string, from: number): number {
  run.lastIndex = from;
  return from + (run.exec(text)?.[0].length ?? 0);
}

const letterRun = new RegExp(`${spacedWordCharacter}*`, "vy");
// A comma or the end of a sentence separates words.
const separatorRun = new RegExp(`[^${wordCharacter}\\p{Terminal_Punctuation}]*`, "vy");
const wordEnd = new RegExp(`${spacedWordCharacter}$`, "v");
const wordStart = new RegExp(`^${spacedWordCharacter}`, "v");
