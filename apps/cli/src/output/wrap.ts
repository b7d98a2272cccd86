import { joined, type Shown, shownLine } from "./shown.ts";
import { widthOf } from "./width.ts";

/** A run of text that was found, or that stands around it. */
export type Piece = { readonly text: Shown; readonly isMatch: boolean };

/** Lines of at most `width` columns, broken at spaces; a longer word stays whole. */
export function wrapPieces(
  pieces: readonly Piece[],
  width: number,
  mark: (text: Shown) => Shown,
): Shown[] {
  const lines: Shown[] = [];
  let line: Shown[] = [];
  let used = 0;
  for (const word of wordsOf(pieces)) {
    const columns = word.reduce((sum, { text }) => sum + widthOf(text), 0);
    const painted = joined(
      word.map(({ text, isMatch }) => (isMatch ? mark(text) : text)),
      "",
    );
    if (line.length > 0 && used + 1 + columns > width) {
      lines.push(joined(line, " "));
      line = [];
      used = 0;
    }
    used += (line.length > 0 ? 1 : 0) + columns;
    line.push(painted);
  }
  return line.length > 0 ? [...lines, joined(line, " ")] : lines;
}

/** Words, each of one or more pieces: a match may end inside of one. */
function wordsOf(pieces: readonly Piece[]): Piece[][] {
  const words: Piece[][] = [];
  let word: Piece[] = [];
  for (const { text, isMatch } of pieces) {
    for (const [at, part] of text.split(/ +/).entries()) {
      if (at > 0 && word.length > 0) {
        words.push(word);
        word = [];
      }
      if (part !== "") word.push({ text: shownLine(part), isMatch });
    }
  }
  return word.length > 0 ? [...words, word] : words;
}
