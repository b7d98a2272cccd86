import type { Hit } from "./hit.ts";

/**
 * What a text is read without, each as one character, since no rule sees where that begins and ends
 * which runs into it, as in `\nghp_...`.
 */
const escapes = [
  // Colours of a terminal.
  String.raw`(?:[\x00-\x08\x0e-\x1f\x7f-\x9f]|\\{1,8}(?:u001[bB]|x1[bB]|e|033))\[[\d;]{0,20}[A-Za-z]`,
  // The end of a line that goes on, also in JSON, and in JSON that is a text in another.
  String.raw`(?:\\\r?\n|(?<!\\)(?:\\{3}|\\{6})n)[ \t]{0,40}`,
  // JSON within a string; some write a slash as `\/`, and so every address. Queries of addresses,
  // also of one within another's.
  String.raw`\\{1,8}(?<letter>[nrt/])`,
  String.raw`(?:\\{1,8}(?:u00|x)|%(?:25){0,4})(?<code>[0-7][\dA-Fa-f])`,
  // Markup.
  String.raw`&(?:#x0?(?<hex>[2-7][\dA-Fa-f])|#0?(?<decimal>[3-9]\d|1[01]\d)|(?<named>amp|apos|gt|lt|nbsp|quot));`,
  // Texts that code joins. Where their quotes differ, the second may end the JSON that the first
  // stands in.
  String.raw`(?<joint>(?<quote>\\{0,8}["'\x60])(?:\s|\\{1,8}n){0,20}[+.](?:\s|\\{1,8}n){0,20}(?:\k<quote>|\\{0,8}["'\x60](?![\s,:}\]\\]|$)))`,
];
/** In front of a line: its number, its place in a file, what marks a difference or a quotation. */
const margin = String.raw`(?<=^|\n|\\n)[ \t]{0,8}(?:(?:[\w./-]{1,200}:)?\d{1,7}(?:→|\\{1,8}t|\t|: ?| ?[|│] ?)|(?:[-+>#*]|//)(?![-+>#*/]) ?)`;
/** One of them, where there is what one begins with: few characters are, and that is soon seen. */
const anEscape = String.raw`(?=[\x00-\x08\x0e-\x1f\x7f-\x9f\\%&"'\x60])(?:${escapes.join("|")})`;
const everyEscape = new RegExp(anEscape, "g");
const everyMargin = new RegExp(margin, "g");
const everyEscapeAndMargin = new RegExp(`${anEscape}|${margin}`, "g");
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
  /** The place in the text as it was written of one in this. */
  readonly written: (hit: Hit) => Hit;
};

/** What a text says besides what is written there: without its escapes, and without margins, too. */
export function readings(whole: string): Unescaped[] {
  const hasMargins = whole.search(everyMargin) >= 0;
  const read = [
    unescaped(whole, everyEscape),
    hasMargins ? unescaped(whole, everyEscapeAndMargin) : undefined,
  ];
  return read.filter((each) => each !== undefined);
}

/** What is the same of a secret however it is written: escaped, in a listing, in a difference. */
export function saidBy(written: string): string {
  // Of no other secret may signs be left out: two passwords may differ in them alone.
  const isKey = /PRIVATE KEY|Private-Lines/.test(written);
  const read = unescaped(written, isKey ? everyEscapeAndMargin : everyEscape)?.text ?? written;
  return read.replaceAll(isKey ? /[^A-Za-z0-9]/g : /\s/g, "");
}

function unescaped(whole: string, pattern: RegExp): Unescaped | undefined {
  const pieces: string[] = [];
  const ends: Ends[] = [];
  let at = 0;
  let length = 0;
  for (const match of whole.matchAll(pattern)) {
    const character = readAs(match.groups ?? {});
    pieces.push(whole.slice(at, match.index), character);
    length += match.index - at + character.length;
    at = match.index + match[0].length;
    ends.push({ read: length, written: at, isNothing: character === "" });
  }
  if (ends.length === 0) return undefined;
  pieces.push(whole.slice(at));

  const writtenAt = (place: number, isEnd: boolean): number => {
    // What ends where nothing is read ends in front of that.
    const last = lastOf(
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

/** The character that an escape stands for, or what ends what stands in front of it. */
function readAs(groups: Readonly<Record<string, string | undefined>>): string {
  const { letter, code, hex = code, decimal, named, joint } = groups;
  if (joint !== undefined) return "";
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
  if (decimal !== undefined) return String.fromCharCode(Number(decimal));
  return letters[letter ?? ""] ?? entities[named ?? ""] ?? " ";
}

/** Where an escape ends in the text that is read and as it was written. */
type Ends = { readonly read: number; readonly written: number; readonly isNothing: boolean };

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
