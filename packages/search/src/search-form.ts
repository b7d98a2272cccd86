import { normalizeText } from "@pond/sessions/search";

/** A text in the form in which it is searched, and where each place of it was written. */
export type SearchForm = {
  readonly text: string;
  /** Where a place of the searched text begins in the text as written. */
  startOf(at: number): number;
  /** Where it ends. */
  endOf(at: number): number;
};

/** A piece whose length in the searched text differs from its length as written. */
type Piece = {
  /** Where it begins in the searched text. */
  readonly start: number;
  readonly chars: number;
  readonly writtenStart: number;
  readonly writtenChars: number;
};

// Characters that may combine into one letter or one syllable.
const clusterPattern = new RegExp(
  [
    "[\\u1100-\\u115f][\\u1160-\\u11a7]*[\\u11a8-\\u11ff]*\\p{M}*",
    "[\\uac00-\\ud7a3][\\u11a8-\\u11ff]*\\p{M}*",
    "[\\uff66-\\uff9d][\\uff9e\\uff9f]?\\p{M}*",
    "\\P{M}\\p{M}*",
    "\\p{M}+",
  ].join("|"),
  "gsu",
);

/**
 * Converts a text to the form in which it is searched. A match never begins or ends inside a piece:
 * a letter together with its mark has no half.
 */
export function toSearchForm(written: string): SearchForm {
  const text = normalizeText(written);
  if (text === written) return { text, startOf: (at) => at, endOf: (at) => at };
  const pieces = differingPieces(written);
  return {
    text,
    startOf: (at) => {
      // Marks that are left out may stand before the first letter.
      if (at === 0) return 0;
      const piece = lastPiece(pieces, at);
      if (piece === undefined) return at;
      const inside = at - piece.start;
      return inside < piece.chars ? piece.writtenStart : writtenOffset(piece, inside);
    },
    endOf: (at) => {
      if (at === text.length) return written.length;
      const piece = lastPiece(pieces, at - 1);
      return piece === undefined
        ? at
        : writtenOffset(piece, Math.max(at - piece.start, piece.chars));
    },
  };
}

function differingPieces(written: string): Piece[] {
  const pieces: Piece[] = [];
  let lineStart = 0;
  let shift = 0;
  for (const line of written.split("\n")) {
    const isSame = normalizeText(line) === line;
    for (const { 0: piece, index } of isSame ? [] : line.matchAll(clusterPattern)) {
      const [chars, writtenChars] = [normalizeText(piece).length, piece.length];
      if (chars === writtenChars) continue;
      const writtenStart = lineStart + index;
      pieces.push({ start: writtenStart - shift, chars, writtenStart, writtenChars });
      shift += writtenChars - chars;
    }
    lineStart += line.length + 1;
  }
  return pieces;
}

/**
 * Where a place after the start of a piece was written; `inside` is its distance from that start.
 */
function writtenOffset({ chars, writtenStart, writtenChars }: Piece, inside: number): number {
  return writtenStart + writtenChars + inside - chars;
}

/** The last piece that begins at `at` or before. */
function lastPiece(pieces: readonly Piece[], at: number): Piece | undefined {
  let [low, high] = [0, pieces.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((pieces[middle]?.start ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return pieces[low - 1];
}
