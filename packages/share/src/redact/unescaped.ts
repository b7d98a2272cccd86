import type { Hit } from "./hit.ts";

/**
 * The escapes that are read as at most one character. No rule sees where a secret begins or ends
 * that runs into an escape, as in `\nghp_...`.
 */
const escapes = [
  // Colours of a terminal.
  String.raw`(?:[\x00-\x08\x0e-\x1f\x7f-\x9f]|\\{1,8}(?:u001[bB]|x1[bB]|e|033))\[[\d;]{0,20}[A-Za-z]`,
  // The end of a line that is continued, also in JSON, and in JSON within JSON.
  String.raw`(?:\\\r?\n|(?<!\\)(?:\\{3}|\\{6})n)[ \t]{0,40}`,
  // JSON within a string; some write a slash as `\/`, and so every address. Queries of addresses,
  // also of one address within another.
  String.raw`\\{1,8}(?<letter>[nrt/])`,
  String.raw`(?:\\{1,8}(?:u00|x)|%(?:25){0,4})(?<code>[0-7][\dA-Fa-f])`,
  // Markup.
  String.raw`&(?:#x0?(?<hex>[2-7][\dA-Fa-f])|#0?(?<decimal>[3-9]\d|1[01]\d)|(?<named>amp|apos|gt|lt|nbsp|quot));`,
  // Texts that code joins. If their quotes differ, the second may end the JSON that the first is
  // in.
  String.raw`(?<joint>(?<quote>\\{0,8}["'\x60])(?:\s|\\{1,8}n){0,20}[+.](?:\s|\\{1,8}n){0,20}(?:\k<quote>|\\{0,8}["'\x60](?![\s,:}\]\\]|$)))`,
];
/** What may precede a line: its number, its place in a file, the mark of a diff or quotation. */
const margin = String.raw`(?<=^|\n|\\n)[ \t]{0,8}(?:(?:[\w./-]{1,200}:)?\d{1,7}(?:→|\\{1,8}t|\t|: ?| ?[|│] ?)|(?:[-+>#*]|//)(?![-+>#*/]) ?)`;
/** One of the escapes. Few characters begin one, so most places are soon ruled out. */
const anyEscape = String.raw`(?=[\x00-\x08\x0e-\x1f\x7f-\x9f\\%&"'\x60])(?:${escapes.join("|")})`;
const everyEscape = new RegExp(anyEscape, "g");
const everyMargin = new RegExp(margin, "g");
const everyEscapeAndMargin = new RegExp(`${anyEscape}|${margin}`, "g");
const letters: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", "/": "/" };
const entities: Readonly<Record<string, string>> = {
  amp: "&",
  apos: "'",
  gt: ">",
  lt: "<",
  quot: '"',
};

/** A text with its escapes read. */
type Unescaped = {
  readonly text: string;
  /** Converts a place in `text` to the place in the text as it was written. */
  readonly written: (hit: Hit) => Hit;
};

/** Other readings of a text: without its escapes, and without escapes and margins. */
export function unescapedVersions(whole: string): Unescaped[] {
  const hasMargins = whole.search(everyMargin) >= 0;
  const read = [
    readEscapes(whole, everyEscape),
    hasMargins ? readEscapes(whole, everyEscapeAndMargin) : undefined,
  ];
  return read.filter((each) => each !== undefined);
}

/** What a secret says, the same however it is written: escaped, in a listing, in a diff. */
export function normalizedSecret(written: string): string {
  // Only keys are compared without punctuation: two passwords may differ only in that.
  const isKey = /PRIVATE KEY|Private-Lines/.test(written);
  const read = readEscapes(written, isKey ? everyEscapeAndMargin : everyEscape)?.text ?? written;
  return read.replaceAll(isKey ? /[^A-Za-z0-9]/g : /\s/g, "");
}

function readEscapes(whole: string, pattern: RegExp): Unescaped | undefined {
  const pieces: string[] = [];
  const ends: EscapeEnd[] = [];
  let at = 0;
  let length = 0;
  for (const match of whole.matchAll(pattern)) {
    const character = decodedCharacter(match.groups ?? {});
    pieces.push(whole.slice(at, match.index), character);
    length += match.index - at + character.length;
    at = match.index + match[0].length;
    ends.push({ read: length, written: at, isNothing: character === "" });
  }
  if (ends.length === 0) return undefined;
  pieces.push(whole.slice(at));

  const writtenAt = (place: number, isEnd: boolean): number => {
    // A place that ends at an escape that is read as nothing ends before that escape.
    const last = findLastSorted(
      ends,
      ({ read, isNothing }) => read < place || (read === place && !(isEnd && isNothing)),
    );
    return last === undefined ? place : last.written + place - last.read;
  };
  return {
    text: pieces.join(""),
    written: ({ start, end, rule }) => ({
      start: writtenAt(start, false),
      end: writtenAt(end, true),
      rule,
    }),
  };
}

/** The character an escape stands for; a space if it only separates; nothing if it joins texts. */
function decodedCharacter(groups: Readonly<Record<string, string | undefined>>): string {
  const { letter, code, hex = code, decimal, named, joint } = groups;
  if (joint !== undefined) return "";
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
  if (decimal !== undefined) return String.fromCharCode(Number(decimal));
  return letters[letter ?? ""] ?? entities[named ?? ""] ?? " ";
}

/** Where an escape ends, in the text that is read and in the text as it was written. */
type EscapeEnd = { readonly read: number; readonly written: number; readonly isNothing: boolean };

/** The last of the elements that pass, if all that pass come first. */
function findLastSorted<Each>(
  list: readonly Each[],
  passes: (each: Each) => boolean,
): Each | undefined {
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
