const scripts = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"];

/** Letters of scripts without spaces, for a class of a `v` pattern: a run of them is many words. */
export const unspacedLetters: string = `[${scripts.map((script) => `\\p{Script=${script}}`).join("")}ー]`;

// Without an end the engine of patterns would need its stack for a long run.
const pieceOfRun = new RegExp(`[${unspacedLetters}\\p{M}ｰﾞﾟ]{1,1024}`, "gv");

/** Where the runs of such letters and of marks begin and end in a text. */
export function* unspacedRuns(
  text: string,
): Generator<{ readonly start: number; readonly end: number }> {
  let [start, end] = [0, 0];
  for (const { index, 0: piece } of text.matchAll(pieceOfRun)) {
    if (index > end) {
      if (end > start) yield { start, end };
      start = index;
    }
    end = index + piece.length;
  }
  if (end > start) yield { start, end };
}
