import { joinSafe, type SafeText, safeLine } from "./safe-text.ts";
import { splitAt, widthOf } from "./width.ts";

/** A run of text: a match, or the text around it. */
export type TextRun = { readonly text: SafeText; readonly isMatch: boolean };

/** Lines of at most `width` columns, broken at spaces; a longer word is broken where necessary. */
export function wrapRuns(
  runs: readonly TextRun[],
  width: number,
  mark: (text: SafeText) => SafeText,
): SafeText[] {
  const lines: SafeText[] = [];
  let line: SafeText[] = [];
  let used = 0;
  for (const word of wordsOf(runs).flatMap((each) => breakWord(each, width))) {
    const columns = word.reduce((sum, { text }) => sum + widthOf(text), 0);
    const painted = joinSafe(
      word.map(({ text, isMatch }) => (isMatch ? mark(text) : text)),
      "",
    );
    if (line.length > 0 && used + 1 + columns > width) {
      lines.push(joinSafe(line, " "));
      line = [];
      used = 0;
    }
    used += (line.length > 0 ? 1 : 0) + columns;
    line.push(painted);
  }
  return line.length > 0 ? [...lines, joinSafe(line, " ")] : lines;
}

/**
 * A word in as many pieces as needed for none to be wider; a text in a script without spaces is all
 * one word.
 */
function breakWord(word: readonly TextRun[], width: number): TextRun[][] {
  const parts: TextRun[][] = [];
  let part: TextRun[] = [];
  let room = width;
  for (const { text, isMatch } of word) {
    for (let rest = text; rest !== ""; ) {
      if (part.length > 0 && widthOf(splitAt(rest, 1)[0]) > room) {
        parts.push(part);
        part = [];
        room = width;
      }
      const [fits, others] = splitAt(rest, room);
      part.push({ text: fits, isMatch });
      room -= widthOf(fits);
      rest = others;
    }
  }
  return [...parts, part];
}

/** Words, each of one or more pieces, because a match may end inside a word. */
function wordsOf(runs: readonly TextRun[]): TextRun[][] {
  const words: TextRun[][] = [];
  let word: TextRun[] = [];
  for (const { text, isMatch } of runs) {
    for (const [at, part] of text.split(/ +/).entries()) {
      if (at > 0 && word.length > 0) {
        words.push(word);
        word = [];
      }
      if (part !== "") word.push({ text: safeLine(part), isMatch });
    }
  }
  return word.length > 0 ? [...words, word] : words;
}

/** The same for one text without styles. */
export function wrapText(text: SafeText, width: number): SafeText[] {
  return wrapRuns([{ text, isMatch: false }], width, (each) => each);
}

// Text for a terminal contains only our own.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a style is
const styles = /\x1b\[\d+m/g;

/**
 * Sentences, styled or not, in lines of at most `width` columns. What people copy stays whole: a
 * longer path or address, and lines that begin with spaces.
 */
export function wrapSentences(text: SafeText, width: number): SafeText[] {
  return text.split("\n").flatMap((line): SafeText[] => {
    // The text is already safe: splitting it at line breaks and spaces adds nothing to it.
    const whole = line as SafeText;
    if (line.startsWith(" ") || line === "") return [whole];
    const lines: string[] = [];
    for (const word of line.split(" ")) {
      const longer = `${lines.at(-1) ?? ""} ${word}`;
      if (lines.length > 0 && widthOf(longer.replaceAll(styles, "")) <= width) {
        lines.splice(-1, 1, longer);
      } else lines.push(word);
    }
    return lines as SafeText[];
  });
}
