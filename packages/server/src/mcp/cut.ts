import { type JsonValue, stringifyJson } from "@pond/canonical";

/** The place of a piece in what it was cut from, in UTF-16 code units. */
export type Cut = { readonly from: number; readonly until: number; readonly of: number };

/** The characters that a value takes in a reply. */
export function lengthOf(value: object): number {
  // Wire types are JSON; TypeScript cannot see it through their optional fields.
  return stringifyJson(value as JsonValue).length;
}

/** The piece of a text from `from` on that takes at most so many characters in a reply. */
export function cutText(text: string, from: number, maxCharacters: number): [string, Cut] {
  const start = Math.min(from, text.length);
  let until = Math.min(text.length, start + Math.max(1, maxCharacters));
  // A character that JSON escapes takes up to six.
  while (until - start > 1 && jsonLength(text.slice(start, until)) > maxCharacters) {
    until = start + Math.ceil((until - start) / 2);
  }
  if (until < text.length && splitsSurrogates(text, until)) until += 1;
  return [text.slice(start, until), { from: start, until, of: text.length }];
}

/** A text to recognize rather than read: only the beginning, if it is long. */
export function beginningOf(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  return `${text.slice(0, splitsSurrogates(text, maxCharacters) ? maxCharacters - 1 : maxCharacters)}…`;
}

function jsonLength(text: string): number {
  return JSON.stringify(text).length - 2;
}

/** True if a cut at this place would separate a pair of surrogates. */
function splitsSurrogates(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1));
}
