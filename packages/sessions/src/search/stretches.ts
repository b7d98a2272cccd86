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

/** The last place up to `at` that is behind white space; where no word ends, between letters. */
export function wordEdgeNear(text: string, at: number): number {
  const near = text.slice(at - longestWord, at);
  const word = /\S*$/.exec(near)?.[0] ?? "";
  return word.length < near.length ? at - word.length : edgeNear(text, at);
}
