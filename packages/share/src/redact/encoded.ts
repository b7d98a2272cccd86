import { fileText } from "../file-text.ts";

// One whole line of several, its end escaped or not; then the rest of them, or a single line.
const wholeLine = /[A-Za-z0-9+/]{60,76}(?:\r?\n|\\{1,8}n)[ \t]{0,16}/y;
const lastLine = /[A-Za-z0-9+/_-]+={0,2}/y;
/** Shorter base64 says nothing of use. */
const minLength = 32;
const isBase64Code = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(/[A-Za-z0-9+/_-]/.test(String.fromCharCode(code))),
);
// Few random bytes, such as those of hashes and pictures, begin without one of these.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what tells bytes from text
const binaryCharacter = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/** Line breaks, and the space before a line. */
const breaks = /\s|\\+n/g;

type Encoded = { readonly start: number; readonly end: number; readonly text: string };

/**
 * Maps the texts that base64 in a text encodes. Base64 stays as it is if it encodes no text, or if
 * its text stays the same.
 */
export function mapEncoded(whole: string, map: (text: string) => string): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end, text } of findEncoded(whole)) {
    const mapped = map(text);
    if (mapped === text) continue;
    pieces.push(whole.slice(at, start), encodeLike(whole.slice(start, end), mapped));
    at = end;
  }
  return at === 0 ? whole : pieces.join("") + whole.slice(at);
}

/** Base64 in the alphabet of what was written, and without padding if that had none. */
function encodeLike(written: string, text: string): string {
  const base64 = Buffer.from(text).toString(/[-_]/.test(written) ? "base64url" : "base64");
  const isCut = written.replaceAll(breaks, "").length % 4 !== 0;
  return isCut ? base64.replace(/=+$/, "") : base64;
}

function* findEncoded(whole: string): Generator<Encoded> {
  let nextFree = 0;
  for (const start of findRunStarts(whole)) {
    if (start < nextFree) continue;
    const endOfLines = endOfWholeLines(whole, start);
    lastLine.lastIndex = endOfLines;
    const end = lastLine.test(whole) ? lastLine.lastIndex : endOfLines;
    nextFree = end;
    // A word may stand below lines of which the last is whole, and may itself be base64 of text.
    const isBelow = endOfLines > start && isWord(whole, endOfLines, end);
    const found =
      (isBelow ? undefined : textOf(whole, start, end)) ?? textOf(whole, start, endOfLines);
    if (found !== undefined) yield found;
  }
}

/** Where runs of base64 begin. A run of 32 or more covers at least one of every 32nd place. */
function* findRunStarts(whole: string): Generator<number> {
  const isWithin = (place: number): boolean => isBase64Code[whole.charCodeAt(place)] === 1;
  for (let place = minLength - 1; place < whole.length; place += minLength) {
    if (!isWithin(place)) continue;
    let start = place;
    while (isWithin(start - 1)) start -= 1;
    while (isWithin(place)) place += 1;
    // The letter of an escape is not part of it. Anything else after a backslash is not base64.
    if (whole[start - 1] === "\\") start = /[nrt]/.test(whole[start] ?? "") ? start + 1 : place;
    if (place - start >= minLength) yield start;
  }
}

function isWord(whole: string, start: number, end: number): boolean {
  const word = whole.slice(start, end);
  // The last line of base64 without padding may look so, but none of these characters follows it.
  if (/[ :.,]/.test(whole.charAt(end))) return /^[A-Z]?[a-z]+$/.test(word);
  return word.length % 4 !== 0 && /^[a-z]{3,}$/.test(word);
}

function endOfWholeLines(whole: string, start: number): number {
  let end = start;
  wholeLine.lastIndex = start;
  while (wholeLine.test(whole)) end = wholeLine.lastIndex;
  return end;
}

function textOf(whole: string, start: number, endOfRun: number): Encoded | undefined {
  const run = whole.slice(start, endOfRun).replace(/(?:\s|\\+n)+$/, "");
  const begin = Buffer.from(run.slice(0, 48), "base64").toString("latin1");
  if (run === "" || binaryCharacter.test(begin)) return undefined;
  const bare = run.replaceAll(breaks, "");
  // A single character past the end of base64 encodes nothing, and has to stay.
  if (bare.length % 4 === 1) return textOf(whole, start, start + run.length - 1);
  const text = fileText(bare);
  if (text === undefined || binaryCharacter.test(text)) return undefined;
  return { start, end: start + run.length, text };
}
