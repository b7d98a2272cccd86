import { inOneForm } from "@pond/sessions/search";
import type { ParsedQuery } from "./query.ts";
import { holdsWhole, isUnspaced, wordsOf } from "./words.ts";

/** What every match holds, and what none does. */
type Bounds = Pick<ParsedQuery, "required" | "excluded">;

/** What of the bounds the index is asked: all that it can require, what it excludes for sure. */
export function indexBounds({ required, excluded }: Bounds): Bounds {
  return {
    required: required.filter((text) => wordsOf(text).length > 0),
    excluded: excluded.filter(isPlain),
  };
}

/** The bounds that texts have to decide, whatever the index said. */
export function textBounds({ required, excluded }: Bounds): Bounds {
  const isForTexts = (text: string): boolean => !isPlain(text);
  return { required: required.filter(isForTexts), excluded: excluded.filter(isForTexts) };
}

/** True where a text holds what a query requires and nothing it excludes, in any case. */
export function meetsBounds(text: string, { required, excluded }: Bounds): boolean {
  if (required.length + excluded.length === 0) return true;
  const whole = comparable(text);
  let words: string | undefined;
  const holds = (wanted: string): boolean => {
    if (!isPlain(wanted)) return holdsWhole(whole, comparable(wanted));
    words ??= inARow(whole);
    return words.includes(inARow(comparable(wanted)));
  };
  return required.every(holds) && !excluded.some(holds);
}

// The index drops words of 256 bytes; of a letter there may be three.
const wordChars = 85;

/**
 * True for words with nothing but spaces between them. Signs and very long words the index drops, and
 * a script without spaces it cuts by a dictionary, which takes `不准确` for one word and `准确` for
 * another.
 */
function isPlain(text: string): boolean {
  const words = wordsOf(text);
  const isIndexed = words.every(({ length }) => length <= wordChars);
  return isIndexed && words.join(" ") === text && !isUnspaced(text);
}

function inARow(text: string): string {
  return ` ${wordsOf(text).join(" ")} `;
}

function comparable(text: string): string {
  return inOneForm(text).toLowerCase().replaceAll("’", "'").replaceAll(/\s+/g, " ");
}
