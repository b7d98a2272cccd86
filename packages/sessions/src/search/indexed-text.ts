import { inOneForm } from "./one-form.ts";
import { wordEdgeNear } from "./stretches.ts";

// No character, so that nobody writes or looks for it.
const divider = "\uffff";

/**
 * How much of a text is indexed as a message's. To cut it into words takes the engine about twenty
 * times its length, and up to fifty, whenever the index is made or what it does not cover is searched.
 */
const indexedChars = 1024 * 1024;
const gap = "\n…\n";

/**
 * What a message is found by: its text, or the beginning and the end of one longer than 1,048,576
 * characters. By its words the rest is found through windows, which hold all of it.
 */
export function foundBy(text: string): string {
  if (isFoundByAll(text)) return text;
  const half = indexedChars / 2;
  const beginning = text.slice(0, wordEdgeNear(text, half));
  return `${beginning}${gap}${text.slice(wordEdgeNear(text, text.length - half))}`;
}

/** True where a message is found by all of its text. */
function isFoundByAll(text: string): boolean {
  return text.length <= indexedChars;
}

/**
 * What `search_text` holds: what a message is found by as it is ({@link foundBy}), and behind it those
 * of its lines that are not in the form a query comes in ({@link inOneForm}). The index finds the one,
 * whoever reads gets the other.
 */
export function toIndexed(whole: string): string {
  const text = foundBy(whole);
  const one = inOneForm(text);
  if (one === text && !text.includes(divider)) return text;
  const lines = text.split("\n");
  const others = one.split("\n").filter((line, at) => line !== lines[at]);
  return `${text}${divider}${others.join("\n").replaceAll(divider, "")}`;
}

/** What `search_text` holds of the text itself. */
export function fromIndexed(stored: string): string {
  const end = stored.lastIndexOf(divider);
  return end === -1 ? stored : stored.slice(0, end);
}
