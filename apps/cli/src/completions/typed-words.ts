import type { Shell } from "../completion-scripts.ts";

/** The word that holds the cursor. */
export type CurrentWord = {
  /** As the shell would read it. */
  readonly text: string;
  /** The beginning of `text` that the shell keeps, because it replaces only the rest. */
  readonly kept: string;
  /** The quote that is open at its end. */
  readonly quote: Quote;
};

export type TypedLine = {
  /** The words after the command's name and before the cursor. */
  readonly words: readonly string[];
  readonly current: CurrentWord;
};

type Quote = "" | "'" | '"';

/**
 * Reads the words of a command line as a shell passes them to its completion: as they are typed,
 * with their quotes. Nothing in them is expanded, because the value of a variable or the output of
 * a command is not known.
 *
 * @param breaks - For bash: what it splits words at besides spaces.
 * @returns Undefined if something would have to go after a closed quote.
 */
export function parseTypedWords(
  shell: Shell,
  raw: readonly string[],
  breaks: string,
): TypedLine | undefined {
  const kept = [..."=:"].filter((each) => shell === "bash" && breaks.includes(each));
  const whole = shell === "bash" ? rejoinWords(raw, kept) : raw;
  const before = whole.slice(0, -1);
  const last = whole.at(-1) ?? "";
  const { text, quote, quoteAt, isQuoted } = unquote(last);
  if (isQuoted && quote === "") return undefined;
  // Fish has already parsed the words before the cursor.
  const words = shell === "fish" ? before : before.map((word) => unquote(word).text);
  const keptRaw = quote === "" ? lastBreakEnd(last, kept) : quoteAt;
  return { words, current: { text, quote, kept: unquote(last.slice(0, keptRaw)).text } };
}

/** Bash makes three words of `--mode=all`, and three of `s3://bucket`. */
function rejoinWords(words: readonly string[], breaks: readonly string[]): string[] {
  const whole: string[] = [];
  let continuesWord = false;
  for (const word of words) {
    const isBreak = word !== "" && [...word].every((each) => breaks.includes(each));
    const last = whole.at(-1);
    if (last !== undefined && (isBreak || continuesWord)) whole[whole.length - 1] = last + word;
    else whole.push(word);
    continuesWord = isBreak && last !== undefined;
  }
  return whole;
}

function lastBreakEnd(word: string, breaks: readonly string[]): number {
  return Math.max(0, ...breaks.map((each) => word.lastIndexOf(each) + 1));
}

type Unquoted = {
  readonly text: string;
  /** The quote that is open at the end, and where it began. */
  readonly quote: Quote;
  readonly quoteAt: number;
  readonly isQuoted: boolean;
};

function unquote(word: string): Unquoted {
  let text = "";
  let quote: Quote = "";
  let quoteAt = 0;
  let isQuoted = false;
  for (let at = 0; at < word.length; at++) {
    const character = word.charAt(at);
    if (quote === "" && (character === "'" || character === '"')) {
      quote = character;
      quoteAt = at;
      isQuoted = true;
    } else if (character === quote) quote = "";
    else if (character === "\\" && isEscape(word.charAt(at + 1), quote)) text += word.charAt(++at);
    else text += character;
  }
  return { text, quote, quoteAt, isQuoted };
}

function isEscape(next: string, quote: Quote): boolean {
  if (quote === "") return next !== "";
  return quote === '"' && next !== "" && '"\\$`'.includes(next);
}
