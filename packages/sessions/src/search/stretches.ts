import { edgeNear } from "./one-form.ts";

/** The index knows no longer word. */
const longestWord = 256;

/** Cuts a text into stretches of at most so many characters, between words if there are any. */
export function* stretchesOf(text: string, chars: number): Generator<string> {
  let start = 0;
  while (text.length - start > chars) {
    const end = wordEdgeNear(text, start + chars);
    yield text.slice(start, end);
    start = end;
  }
  yield text.slice(start);
}

/**
 * The last place up to `at` that follows white space. If there is none near, one at which no word
 * continues, for text without white space; and if all is one word, a place between letters.
 */
export function wordEdgeNear(text: string, at: number): number {
  const edge = edgeNear(text, at);
  const near = text.slice(Math.max(0, edge - longestWord), edge);
  for (const word of [/\S*$/, /[\p{L}\p{M}\p{N}]*$/u]) {
    const length = word.exec(near)?.[0].length ?? 0;
    if (length < near.length) return edgeNear(text, edge - length);
  }
  return edge;
}
