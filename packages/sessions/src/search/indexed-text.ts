import { inOneForm } from "./one-form.ts";
import { wordEdgeNear } from "./stretches.ts";

// Not a character, so nobody writes it or looks for it.
const divider = "\uffff";

/**
 * How much of a text is indexed as a message's. To cut it into words takes the engine about twenty
 * times its length, and up to fifty, whenever the index is made or something outside of it is
 * searched.
 */
const indexedChars = 1024 * 1024;
const gap = "\n…\n";

/**
 * The text that a message is found by: its own, or the beginning and the end of one longer than
 * 1,048,576 characters. Words in the rest are found through windows, which hold all of it.
 */
export function foundBy(text: string): string {
  if (isFoundByAll(text)) return text;
  const half = indexedChars / 2;
  const beginning = text.slice(0, wordEdgeNear(text, half));
  return `${beginning}${gap}${text.slice(wordEdgeNear(text, text.length - half))}`;
}

/** True if a message is found by all of its text. */
function isFoundByAll(text: string): boolean {
  return text.length <= indexedChars;
}

/**
 * The content of `search_text`: the text that a message is found by ({@link foundBy}), followed by
 * those of its lines that are not in the form of a query ({@link inOneForm}). The index finds
 * these, while a reader gets the text itself.
 */
export function toIndexed(whole: string): string {
  const text = foundBy(whole);
  const one = inOneForm(text);
  if (one === text && !text.includes(divider)) return text;
  const lines = text.split("\n");
  const others = one.split("\n").filter((line, at) => line !== lines[at]);
  return `${text}${divider}${others.join("\n").replaceAll(divider, "")}`;
}

/** The text itself from the content of `search_text`. */
export function fromIndexed(stored: string): string {
  const end = stored.lastIndexOf(divider);
  return end === -1 ? stored : stored.slice(0, end);
}
