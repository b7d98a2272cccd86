import type { Piece } from "./blocks.ts";

/** Text up to so many lines and characters is open from the start; longer text is folded. */
const maxUnfolded = { lines: 12, characters: 1200 };

/** Whether the input or output of a tool is short enough to be shown unfolded. */
export function isShort(pieces: readonly Piece[]): boolean {
  let lines = 0;
  let characters = 0;
  for (const one of pieces) {
    if (one.kind === "image") continue;
    characters += one.text.length;
    if (characters > maxUnfolded.characters) return false;
    lines += countLines(one.text);
  }
  return lines <= maxUnfolded.lines;
}

/** The extent of pieces in words, as in `12 lines, 1 image`. */
export function extentOf(pieces: readonly Piece[]): string {
  const lines = pieces.reduce(
    (sum, one) => sum + (one.kind === "image" ? 0 : countLines(one.text)),
    0,
  );
  const images = pieces.filter(({ kind }) => kind === "image").length;
  const counted = (count: number, one: string) => `${count} ${one}${count === 1 ? "" : "s"}`;
  return [
    ...(lines > 0 ? [counted(lines, "line")] : []),
    ...(images > 0 ? [counted(images, "image")] : []),
  ].join(", ");
}

function countLines(text: string): number {
  let lines = text === "" ? 0 : 1;
  let at = text.indexOf("\n");
  while (at >= 0 && at < text.length - 1) {
    lines += 1;
    at = text.indexOf("\n", at + 1);
  }
  return lines;
}
