import { normalizeText } from "./normalize-text.ts";
import { wordBoundaryNear } from "./text-chunks.ts";

// Not a character, so nobody writes it or looks for it.
const divider = "\uffff";

/**
 * How much of a text is indexed as a message's. To cut it into words takes the engine about twenty
 * times its length, and up to fifty, whenever the index is made or something outside of it is
 * searched.
 */
const maxIndexedChars = 1024 * 1024;
const omission = "\n…\n";

/**
 * The text that a message is found by: its own, or the beginning and the end of one longer than
 * 1,048,576 characters. Words in the rest are found through windows, which hold all of it.
 */
export function indexedPart(text: string): string {
  if (isIndexedWhole(text)) return text;
  const half = maxIndexedChars / 2;
  const beginning = text.slice(0, wordBoundaryNear(text, half));
  return `${beginning}${omission}${text.slice(wordBoundaryNear(text, text.length - half))}`;
}

/** True if a message is found by all of its text. */
function isIndexedWhole(text: string): boolean {
  return text.length <= maxIndexedChars;
}

/**
 * The content of `search_text`: the text that a message is found by ({@link indexedPart}), followed
 * by those of its lines that are not in the form of a query ({@link normalizeText}). The index
 * finds these, while a reader gets the text itself.
 */
export function toIndexed(whole: string): string {
  const text = indexedPart(whole);
  const normalized = normalizeText(text);
  if (normalized === text && !text.includes(divider)) return text;
  const lines = text.split("\n");
  const others = normalized.split("\n").filter((line, at) => line !== lines[at]);
  return `${text}${divider}${others.join("\n").replaceAll(divider, "")}`;
}

/** The text itself from the content of `search_text`. */
export function fromIndexed(stored: string): string {
  const end = stored.lastIndexOf(divider);
  return end === -1 ? stored : stored.slice(0, end);
}
