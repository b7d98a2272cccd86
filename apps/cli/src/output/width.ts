import { type SafeText, safe, safeText, sliceSafe } from "./safe-text.ts";

// Characters of one column that join no other: ASCII, Latin, Greek, Cyrillic, and punctuation such
// as `…` and `—`.
const narrow = String.raw` -~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e`;
const plain = new RegExp(`^[${narrow}]*$`);
// Nor do these join others: arrows, lines, ticks and bullets, kana, ideographs, Hangul syllables,
// full-width forms.
const alsoSingle = String.raw`\u2070-\u20cf\u2100-\u2bff\u3001-\u3029\u3041-\u3096\u309b-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60`;
const single = new RegExp(`^[${narrow}${alsoSingle}]*$`);
// East Asian Wide and Fullwidth, the blocks that occur in text.
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18aff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u;
const pictographic = /\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f/u;
// Vowels and finals of Hangul written letter by letter: the syllable is as wide as its first
// letter.
const joining = /[\u1160-\u11ff\ud7b0-\ud7ff]/;
const invisible = /^[\p{Mark}\p{Default_Ignorable_Code_Point}]*$/u;

let segmenter: Intl.Segmenter | undefined;

// In any language; a longer one is cut if a terminal has no room for it.
const maxGraphemeLength = 256;

/** How many columns a terminal gives a text without styles. */
export function widthOf(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes(text)) width += graphemeWidth(segment);
  return width;
}

/** The same on a terminal that draws the emoji of a sequence side by side. */
export function maxWidthOf(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes(text)) width += maxGraphemeWidth(segment);
  return width;
}

/** The beginning of a text in at most `columns`, with an ellipsis if something is left out. */
export function cut(text: SafeText, columns: number): SafeText {
  if (widthOf(text) <= columns) return text;
  return columns < 1
    ? safeText("")
    : safe`${sliceSafe(text, 0, fittingLength(text, columns - 1))}…`;
}

/** The same, so that no terminal breaks the line. */
export function cutSafely(text: SafeText, columns: number): SafeText {
  if (maxWidthOf(text) <= columns) return text;
  if (columns < 1) return safeText("");
  return safe`${sliceSafe(text, 0, fittingLength(text, columns - 1, maxGraphemeWidth))}…`;
}

/** The end of a text, for paths, whose last steps tell more. */
export function cutStart(text: SafeText, columns: number): SafeText {
  const width = widthOf(text);
  if (width <= columns) return text;
  if (columns < 1) return safeText("");
  let excess = width - columns + 1;
  for (const { segment, index } of graphemes(text)) {
    if (excess <= 0) return safe`…${sliceSafe(text, index)}`;
    excess -= graphemeWidth(segment);
  }
  return safeText("…");
}

/** What fits into `columns`, at least one character, and the rest. */
export function splitAt(text: SafeText, columns: number): readonly [SafeText, SafeText] {
  const at = fittingLength(text, columns) || firstGraphemeLength(text);
  return [sliceSafe(text, 0, at), sliceSafe(text, at)];
}

/** The text, padded with spaces to `columns`. */
export function padEnd(text: SafeText, columns: number): SafeText {
  return safe`${text}${spaces(columns - widthOf(text))}`;
}

export function padStart(text: SafeText, columns: number): SafeText {
  return safe`${spaces(columns - widthOf(text))}${text}`;
}

function spaces(count: number): SafeText {
  return safeText(" ".repeat(Math.max(0, count)));
}

/** Where in the text the first `columns` end. */
function fittingLength(text: string, columns: number, widthOfEach = graphemeWidth): number {
  // Mostly one column each; if characters take less, four times as much is examined.
  for (let length = Math.max(1, columns) + 2; ; length *= 4) {
    const near = text.slice(0, length);
    if (plain.test(near)) return Math.max(0, Math.min(columns, text.length));
    const isAll = near.length === text.length;
    let width = 0;
    for (const { segment, index } of graphemes(near)) {
      width += widthOfEach(segment);
      // What was cut off may belong to the last one.
      const isWhole = isAll || index + segment.length < near.length;
      if (isWhole && width > columns) return index;
    }
    if (isAll) return text.length;
  }
}

function firstGraphemeLength(text: string): number {
  const [first] = graphemes(text.slice(0, maxGraphemeLength));
  return first?.segment.length ?? 0;
}

type Grapheme = Pick<Intl.SegmentData, "segment" | "index">;

function graphemes(text: string): Iterable<Grapheme> {
  // The first segmenter of a process takes 20 ms.
  if (single.test(text)) return charactersOf(text);
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return segmenter.segment(text);
}

function* charactersOf(text: string): Generator<Grapheme> {
  for (let index = 0; index < text.length; index += 1) yield { segment: text.charAt(index), index };
}

function graphemeWidth(grapheme: string): number {
  if (invisible.test(grapheme)) return 0;
  return pictographic.test(grapheme) ? 2 : lettersWidth(grapheme);
}

function maxGraphemeWidth(grapheme: string): number {
  if (!pictographic.test(grapheme)) return graphemeWidth(grapheme);
  const emoji = [...grapheme].filter((character) => !invisible.test(character));
  return 2 * emoji.length;
}

function lettersWidth(grapheme: string): number {
  let width = 0;
  // Some scripts join adjacent letters all the same.
  for (const character of grapheme) {
    if (wide.test(character)) width += 2;
    else if (!invisible.test(character) && !joining.test(character)) width += 1;
  }
  return width;
}
