import { normalizeText } from "@pond/sessions/search";
import type { ParsedQuery } from "./query.ts";
import { indexForms, inSmallLetters } from "./small-letters.ts";
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
  const isForTexts = (text: string): boolean => !isPlain(text) || !isWrittenOnce(text);
  return { required: required.filter(isForTexts), excluded: excluded.filter(isForTexts) };
}

/**
 * Makes a check whether a text holds everything that a query requires and nothing that it excludes,
 * in any case.
 */
export function toMeetsBounds({ required, excluded }: Bounds): (text: string) => boolean {
  const [wanted, unwanted] = [required.map(toWanted), excluded.map(toWanted)];
  if (wanted.length + unwanted.length === 0) return () => true;
  return (text) => {
    const whole = comparable(text);
    let words: string | undefined;
    const holds = ({ text, row }: Wanted): boolean => {
      if (row === undefined) return holdsWhole(whole, text);
      words ??= inARow(whole);
      return words.includes(row);
    };
    return wanted.every(holds) && !unwanted.some(holds);
  };
}

type Wanted = {
  readonly text: string;
  /** Its words in a row; undefined if exactly these characters are wanted. */
  readonly row: string | undefined;
};

function toWanted(wanted: string): Wanted {
  const text = comparable(wanted);
  return { text, row: isPlain(wanted) ? inARow(text) : undefined };
}

// The index drops words of 256 bytes, and a letter may take three.
const wordChars = 85;

/**
 * True for words with only spaces between them. The index drops punctuation and very long words and
 * cuts some words into pieces. It cuts a script without spaces by a dictionary, which takes `不准确`
 * for one word and `准确` for another.
 */
function isPlain(text: string): boolean {
  const words = wordsOf(text);
  const isIndexed = words.every((word) => word.length <= wordChars && !isCutByIndex(word));
  return isIndexed && words.join(" ") === text && !isUnspaced(text);
}

/** False for a phrase that the index may write in several ways: only some of them are asked for. */
function isWrittenOnce(text: string): boolean {
  return wordsOf(text).length === 1 || indexForms(text).length === 1;
}

function inARow(text: string): string {
  return ` ${wordsOf(text).join(" ")} `;
}

function comparable(text: string): string {
  return inSmallLetters(normalizeText(text)).replaceAll("’", "'").replaceAll(/\s+/g, " ");
}
