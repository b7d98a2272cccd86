import { windowText } from "@pond/sessions/search";
import { foldCase, indexForms } from "./case-folding.ts";
import { functionWordWeight, type ParsedQuery } from "./query.ts";
import type { Snippet } from "./request.ts";
import { toSearchForm } from "./search-form.ts";
import { isHangul, isUnspaced, spacedWordCharacter } from "./words.ts";

/** Finds the words of a query in a text. */
export type Highlighter = {
  readonly pattern: RegExp;
  /** The worth of finding each word, by the word in lower case. */
  readonly weights: ReadonlyMap<string, number>;
  /**
   * The beginnings of other forms of long words, as written and in lower case, and the worth of
   * finding one.
   */
  readonly stems: ReadonlyMap<string, number>;
};

type TextMatch = {
  readonly start: number;
  readonly end: number;
  /** What was found, in lower case. */
  readonly key: string;
  readonly weight: number;
  /** True if it begins or ends inside a word. */
  readonly isPart: boolean;
};

const snippetChars = 240;
// A text is searched only up to this length: a pasted log would cost more than the search.
const maxSearchedChars = 256 * 1024;
const maxMatches = 2_000;
const maxPartMatches = 200;
const literalWeight = 16;
/** How far an edge may move to stand between words. */
const slackChars = 24;
const graphemeChars = 64;

/** Makes the highlighter of a query, once for all its snippets. */
export function toHighlighter(query: Pick<ParsedQuery, "terms" | "literals">): Highlighter {
  const weights = new Map<string, number>();
  // As written too: even with case ignored, `i̇` is not found in `İ`.
  const spellings = new Set<string>();
  // "the" is worth showing only if nothing else was asked for.
  const content = query.terms.filter(({ weight }) => weight > functionWordWeight);
  for (const { word, weight } of content.length > 0 ? content : query.terms) {
    weights.set(foldCase(word), weight);
    for (const form of indexForms(word)) spellings.add(form);
  }
  for (const literal of query.literals.toSorted((left, right) => left.length - right.length)) {
    const key = foldCase(literal);
    // A word found as part of another one is not found again by itself.
    const within = [...weights].filter(([word]) => word !== key && key.includes(word));
    weights.set(
      key,
      within.reduce((sum, [, weight]) => sum + weight, literalWeight),
    );
    for (const form of indexForms(literal)) spellings.add(form);
  }
  const written = new Set([...weights.keys(), ...spellings]);
  const patterns = [...written]
    .toSorted((left, right) => right.length - left.length)
    .map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  const stems = new Map(
    [...written].flatMap((word) => stemOf(word, weights.get(foldCase(word)) ?? 1)),
  );
  // Without the `u` flag and without lookaround it is five times as fast.
  return { pattern: new RegExp(patterns.join("|"), "gi"), weights, stems };
}

/** The beginning by which windows find other forms of a word: its first letters, if it has more. */
function stemOf(word: string, weight: number): [string, number][] {
  const stem = windowText(word);
  const goesOn = `${stem}${isUnspaced(stem) ? "가" : "a"}`;
  const isCut = /^[\p{L}\p{M}]+$/u.test(stem) && windowText(goesOn) === stem;
  return isCut ? [stem, foldCase(stem)].map((each) => [each, weight]) : [];
}

/**
 * Cuts the snippet: a piece of the text around the densest cluster of what was asked for. Its edges
 * stand between words, or between graphemes if there are no spaces. Highlights are exact in UTF-16
 * code units of the snippet. A match longer than a snippet is shown by its beginning.
 */
export function toSnippet(text: string, highlighter: Highlighter): Snippet {
  const found = findMatches(text, highlighter);
  const { start, end } = snippetRange(text, densestRange(found));
  const lead = start > 0 ? "…" : "";
  const shift = lead.length - start;
  const within = found.filter((each) => each.start >= start && each.end <= end);
  const highlights = mergeAtJoiners(text, within).map((each): [number, number] => [
    each.start + shift,
    each.end + shift,
  ]);
  return { text: `${lead}${text.slice(start, end)}${end < text.length ? "…" : ""}`, highlights };
}

type TextRange = { readonly start: number; readonly end: number };

const joiner = /^[\u200c\u200d]$/;

/** Joins words at a joiner: the index makes two words of it, a reader sees one. */
function mergeAtJoiners(text: string, found: readonly TextRange[]): TextRange[] {
  const places: TextRange[] = [];
  for (const { start, end } of found) {
    const before = places.at(-1);
    const isOne = before !== undefined && joiner.test(text.slice(before.end, start));
    if (isOne) places[places.length - 1] = { start: before.start, end };
    else places.push({ start, end });
  }
  return places;
}

/** The beginning of a text, cut between words or graphemes. */
export function prefixOf(text: string, chars: number): string {
  return text.length <= chars ? text : text.slice(0, boundaryBefore(text, chars));
}

/** The places where a text holds the query, however the text is written. */
function findMatches(whole: string, highlighter: Highlighter): TextMatch[] {
  const { text, startOf, endOf } = toSearchForm(whole.slice(0, maxSearchedChars));
  const words = findWords(text, highlighter);
  const found = words.length > 0 ? words : findForms(text, highlighter);
  return found.map((each) => ({ ...each, start: startOf(each.start), end: endOf(each.end) }));
}

function findWords(text: string, { pattern, weights }: Highlighter): TextMatch[] {
  const found: TextMatch[] = [];
  if (weights.size === 0) return found;
  const wholes = new Set<string>();
  let parts = 0;
  // Searched in the text as it is, never in a lower-cased copy, which would shift offsets.
  for (pattern.lastIndex = 0; found.length < maxMatches; ) {
    const match = pattern.exec(text);
    if (match === null) break;
    const start = match.index;
    const end = pattern.lastIndex;
    const key = foldCase(match[0]);
    const weight = weights.get(key) ?? 1;
    const isPart = !isWholeWord(text, start, end);
    // A literal may be part of a longer name; a word may not.
    if (
      isPart &&
      (weight < literalWeight || parts === maxPartMatches || !keepsMarks(text, start, end))
    ) {
      pattern.lastIndex = start + 1;
      continue;
    }
    if (isPart) parts += 1;
    else wholes.add(key);
    const shownEnd = end - start > snippetChars ? graphemeStart(text, start + snippetChars) : end;
    found.push({ start, end: shownEnd, key, weight, isPart });
  }
  // If the text holds it as it stands, no longer name is meant.
  return parts === 0 ? found : found.filter(({ key, isPart }) => !(isPart && wholes.has(key)));
}

/** Other forms of the words: what windows found, where no word stands as it was asked for. */
function findForms(text: string, { stems }: Highlighter): TextMatch[] {
  if (stems.size === 0) return [];
  const found: TextMatch[] = [];
  const anyStem = new RegExp([...stems.keys()].join("|"), "giu");
  for (const { 0: stem, index: start } of text.matchAll(anyStem)) {
    const isKorean = isUnspaced(stem);
    const before = characterBefore(text, start);
    if (isKorean ? isHangul(before) : isInsideWord(text, start)) continue;
    const rest = isKorean ? restOfKorean : restOfForm;
    rest.lastIndex = start + stem.length;
    rest.exec(text);
    const end = rest.lastIndex;
    if (end - start > snippetChars) continue;
    const key = foldCase(stem);
    const weight = stems.get(key) ?? 1;
    found.push({ start, end, key, weight, isPart: false });
    if (found.length === maxMatches) break;
  }
  return found;
}

const restOfKorean = /[\p{Script=Hangul}\p{M}]*/uy;
const restOfForm = new RegExp(`(?:[\\u200c\\u200d]?[${spacedWordCharacter}--\\p{N}])*`, "vy");

/** True if neither edge separates a letter from its marks. */
function keepsMarks(text: string, start: number, end: number): boolean {
  return !(isMark.test(characterAt(text, start)) || isMark.test(characterAt(text, end)));
}

const isMark = /^\p{M}$/u;

/**
 * True if no word continues at either side. Scripts without spaces have no such sides: there it is
 * enough that no letter is separated from its marks.
 */
function isWholeWord(text: string, start: number, end: number): boolean {
  if (isUnspaced(text.slice(start, end))) return keepsMarks(text, start, end);
  return !(isInsideWord(text, start) || isInsideWord(text, end));
}

/** True if there are letters or digits on both sides of `at`. */
function isInsideWord(text: string, at: number): boolean {
  return twoWordCharacters.test(characterBefore(text, at) + characterAt(text, at));
}

const twoWordCharacters = new RegExp(
  `^${spacedWordCharacter}(?:${spacedWordCharacter}|\\p{M})$`,
  "v",
);

function characterAt(text: string, at: number): string {
  const point = text.codePointAt(at);
  return point === undefined ? "" : String.fromCodePoint(point);
}

function characterBefore(text: string, at: number): string {
  const isPair = at > 1 && /[\uDC00-\uDFFF]/.test(text.charAt(at - 1));
  return at === 0 ? "" : characterAt(text, isPair ? at - 2 : at - 1);
}

/** The run of matches that fits a snippet and holds most; a word counts once. */
function densestRange(found: readonly TextMatch[]): {
  readonly start: number;
  readonly end: number;
} {
  const counts = new Map<string, number>();
  let best = { start: 0, end: 0, worth: 0 };
  let first = 0;
  let worth = 0;
  const count = ({ key, weight }: TextMatch, change: 1 | -1): void => {
    const before = counts.get(key) ?? 0;
    counts.set(key, before + change);
    if (before + Math.min(change, 0) === 0) worth += change * weight;
  };
  for (const each of found) {
    count(each, 1);
    for (let head = found[first]; head && head !== each; head = found[first]) {
      if (each.end - head.start <= snippetChars) break;
      count(head, -1);
      first += 1;
    }
    if (worth > best.worth) best = { start: found[first]?.start ?? 0, end: each.end, worth };
  }
  return best;
}

/** Widens a cluster to the length of a snippet, with its edges on boundaries. */
function snippetRange(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
): { readonly start: number; readonly end: number } {
  if (text.length <= snippetChars) return { start: 0, end: text.length };
  const room = Math.max(0, snippetChars - (end - start));
  // A third of the room goes before it: what follows a match says more than what precedes it.
  const from = Math.max(0, Math.min(start - Math.floor(room / 3), text.length - snippetChars));
  const cutStart = from === 0 ? 0 : Math.min(start, boundaryAfter(text, from));
  const to = Math.min(text.length, Math.max(end, cutStart + snippetChars));
  const cutEnd = to === text.length ? to : Math.max(end, boundaryBefore(text, to));
  return { start: graphemeStart(text, cutStart), end: graphemeEnd(text, cutEnd) };
}

/** The first boundary at or after `at`. */
function boundaryAfter(text: string, at: number): number {
  const space = /\s/u.exec(text.slice(at, at + slackChars));
  return space === null ? graphemeStart(text, at) : at + space.index + 1;
}

/** The last boundary at or before `at`. */
function boundaryBefore(text: string, at: number): number {
  for (let edge = at; edge > Math.max(0, at - slackChars); edge -= 1) {
    if (/\s/u.test(text.charAt(edge))) return edge;
  }
  return graphemeStart(text, at);
}

let segmenter: Intl.Segmenter | undefined;
/** Between two such characters a grapheme ends in every text. */
const twoPlainCharacters = /^[\t\n -~][ -~]$/;

/** The start of the grapheme that holds `at`. */
function graphemeStart(text: string, at: number): number {
  return graphemeAt(text, at).start;
}

/** `at`, or the end of the grapheme around it. */
function graphemeEnd(text: string, at: number): number {
  const { start, end } = graphemeAt(text, at);
  return start === at ? at : end;
}

function graphemeAt(text: string, at: number): { readonly start: number; readonly end: number } {
  if (at <= 0 || at >= text.length) return { start: at, end: at };
  // The first segmenter of a process takes 20 ms.
  if (twoPlainCharacters.test(text.slice(at - 1, at + 1))) return { start: at, end: at };
  segmenter ??= new Intl.Segmenter("und", { granularity: "grapheme" });
  // A slice may begin inside a grapheme, so it starts well before.
  const from = Math.max(0, at - graphemeChars);
  const near = text.slice(from, at + graphemeChars);
  const grapheme = segmenter.segment(near).containing(at - from);
  if (grapheme === undefined) return { start: at, end: at };
  const start = from + grapheme.index;
  return { start, end: start + grapheme.segment.length };
}
