import { edgeNear } from "./one-form.ts";

/** The index knows no longer word. */
const longestWord = 256;

/** A text in stretches of at most so many characters, cut between words where there are any. */
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
 * The last place up to `at` that is behind white space; where that is nowhere near, one at which no
 * word goes on, as in what was written without any; and where all is one word, between letters.
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
