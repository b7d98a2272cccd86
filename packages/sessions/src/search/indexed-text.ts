import { clusterBoundaryNear, normalizeText } from "./normalize-text.ts";
import { wordBoundaryNear } from "./text-chunks.ts";
import { unspacedRuns } from "./unspaced-runs.ts";

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
 * How much of a run of a script without spaces. The engine looks for words of a dictionary in it,
 * which takes the square of its length: 1 s for 160,000 characters, minutes for a million. What
 * somebody writes has punctuation.
 */
const maxRunChars = 16 * 1024;

/**
 * The text that a message is found by: its own, or the beginning and the end of one longer than
 * 1,048,576 characters, and of each run of more than 16,384 characters of a script without spaces.
 * Words in the rest are found through windows, which hold all of it.
 */
export function indexedPart(text: string): string {
  if (text.length <= maxIndexedChars) return withoutLongRuns(text);
  const half = maxIndexedChars / 2;
  const beginning = text.slice(0, wordBoundaryNear(text, half));
  const end = text.slice(wordBoundaryNear(text, text.length - half));
  return `${withoutLongRuns(beginning)}${omission}${withoutLongRuns(end)}`;
}

function withoutLongRuns(text: string): string {
  if (text.length <= maxRunChars) return text;
  const kept: string[] = [];
  let from = 0;
  for (const { start, end } of unspacedRuns(text)) {
    if (end - start <= maxRunChars) continue;
    const half = maxRunChars / 2;
    kept.push(text.slice(from, clusterBoundaryNear(text, start + half)));
    from = clusterBoundaryNear(text, end - half);
  }
  return [...kept, text.slice(from)].join(omission);
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
