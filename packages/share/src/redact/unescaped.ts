import type { Hit } from "./hit.ts";

// Colours of a terminal, JSON within a string, the query of an address, also of one within another's:
// their letters run into what follows, as in `\nghp_...`, and no rule sees where that begins. Some
// write a slash as `\/`, and so every address.
const escapes =
  /(?:(?!\s)\p{Cc}|\\{1,8}(?:u001[bB]|x1[bB]|e|033))\[[\d;]{0,20}[A-Za-z]|\\{1,8}(?<letter>[nrt/])|(?:\\{1,8}(?:u00|x)|%(?:25){0,4})(?<code>[0-7][\dA-Fa-f])/gu;
const letters: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", "/": "/" };

/** A text with its escapes read. */
type Unescaped = {
  readonly text: string;
  /** The place in the text as it was written of one in this. */
  readonly written: (hit: Hit) => Hit;
};

/** `undefined` where there are none. */
export function unescaped(whole: string): Unescaped | undefined {
  const pieces: string[] = [];
  const ends: Ends[] = [];
  let at = 0;
  let length = 0;
  for (const match of whole.matchAll(escapes)) {
    const { letter = "", code } = match.groups ?? {};
    const character = code === undefined ? " " : String.fromCharCode(Number.parseInt(code, 16));
    pieces.push(whole.slice(at, match.index), letters[letter] ?? character);
    length += match.index - at + 1;
    at = match.index + match[0].length;
    ends.push({ read: length, written: at });
  }
  if (ends.length === 0) return undefined;
  pieces.push(whole.slice(at));

  const writtenAt = (place: number): number => {
    const last = lastOf(ends, ({ read }) => read <= place);
    return last === undefined ? place : last.written + place - last.read;
  };
  return {
    text: pieces.join(""),
    written: ({ start, end, rule }) => ({ start: writtenAt(start), end: writtenAt(end), rule }),
  };
}

/** Where an escape, read as one character, ends in the text that is read and as it was written. */
type Ends = { readonly read: number; readonly written: number };

/** Of those that come first and pass, the last. */
function lastOf<Each>(list: readonly Each[], passes: (each: Each) => boolean): Each | undefined {
  let from = 0;
  let to = list.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    const each = list[middle];
    if (each !== undefined && passes(each)) from = middle + 1;
    else to = middle;
  }
  return list[from - 1];
}
