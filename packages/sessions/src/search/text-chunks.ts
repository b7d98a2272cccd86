import { clusterBoundaryNear } from "./normalize-text.ts";

/** The index knows no longer word. */
const maxWordChars = 256;

/** Cuts a text into chunks of at most so many characters, between words if there are any. */
export function* textChunks(text: string, chars: number): Generator<string> {
  let start = 0;
  while (text.length - start > chars) {
    const end = wordBoundaryNear(text, start + chars);
    yield text.slice(start, end);
    start = end;
  }
  yield text.slice(start);
}

/**
 * The last place up to `at` that follows white space. If there is none near, one at which no word
 * continues, for text without white space; and if all is one word, a place between letters.
 */
export function wordBoundaryNear(text: string, at: number): number {
  const boundary = clusterBoundaryNear(text, at);
  const near = text.slice(Math.max(0, boundary - maxWordChars), boundary);
  for (const word of [/\S*$/, /[\p{L}\p{M}\p{N}]*$/u]) {
    const length = word.exec(near)?.[0].length ?? 0;
    if (length < near.length) return clusterBoundaryNear(text, boundary - length);
  }
  return boundary;
}
