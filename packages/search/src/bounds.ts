import { normalizeText } from "@pond/sessions/search";
import { foldCase, indexForms } from "./case-folding.ts";
import type { ParsedQuery } from "./query.ts";
import { holdsWhole, isCutByIndex, isUnspaced, wordsOf } from "./words.ts";

/** What every match holds, and what no match holds. */
type Bounds = Pick<ParsedQuery, "required" | "excluded">;

/**
 * The bounds that the index can check: everything that it can require, and what it excludes
 * reliably.
 */
export function indexBounds({ required, excluded }: Bounds): Bounds {
  return {
    required: required.filter((text) => wordsOf(text).length > 0),
    excluded: excluded.filter(isPlain),
  };
}

/** The bounds that only the texts can decide, whatever the index said. */
export function textBounds({ required, excluded }: Bounds): Bounds {
  const needsText = (text: string): boolean => !isPlain(text) || !hasOneForm(text);
  return { required: required.filter(needsText), excluded: excluded.filter(needsText) };
}

/**
 * Makes a check whether a text holds everything that a query requires and nothing that it excludes,
 * in any case.
 */
export function toBoundsCheck({ required, excluded }: Bounds): (text: string) => boolean {
  const [wanted, unwanted] = [required.map(toBoundText), excluded.map(toBoundText)];
  if (wanted.length + unwanted.length === 0) return () => true;
  return (text) => {
    const whole = comparable(text);
    let words: string | undefined;
    const holds = ({ text, phrase }: BoundText): boolean => {
      if (phrase === undefined) return holdsWhole(whole, text);
      words ??= paddedWords(whole);
      return words.includes(phrase);
    };
    return wanted.every(holds) && !unwanted.some(holds);
  };
}

type BoundText = {
  readonly text: string;
  /** Its words in a row; undefined if exactly these characters are wanted. */
  readonly phrase: string | undefined;
};

function toBoundText(wanted: string): BoundText {
  const text = comparable(wanted);
  return { text, phrase: isPlain(wanted) ? paddedWords(text) : undefined };
}

// The index drops words of 256 bytes, and a letter may take three.
const maxIndexedWordChars = 85;

/**
 * True for words with only spaces between them. The index drops punctuation and very long words and
 * cuts some words into pieces. It cuts a script without spaces by a dictionary, which takes `不准确`
 * for one word and `准确` for another.
 */
function isPlain(text: string): boolean {
  const words = wordsOf(text);
  const isIndexed = words.every(
    (word) => word.length <= maxIndexedWordChars && !isCutByIndex(word),
  );
  return isIndexed && words.join(" ") === text && !isUnspaced(text);
}

/** False for a phrase that the index may write in several ways: only some of them are asked for. */
function hasOneForm(text: string): boolean {
  return wordsOf(text).length === 1 || indexForms(text).length === 1;
}

function paddedWords(text: string): string {
  return ` ${wordsOf(text).join(" ")} `;
}

function comparable(text: string): string {
  return foldCase(normalizeText(text)).replaceAll("’", "'").replaceAll(/\s+/g, " ");
}
