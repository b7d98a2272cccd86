import type { Output } from "../output/output.ts";
import { safe, safeLine, safeText } from "../output/safe-text.ts";

/**
 * The changed lines of a text, without the lines around them: those are the user's, and a key may
 * be among them.
 */
export function lineDiff(before: string, after: string): string {
  const [old, now] = [linesOf(before), linesOf(after)];
  const lengths = commonLengths(old, now);
  const out: string[] = [];
  let [left, right] = [0, 0];
  let isInHunk = false;
  while (left < old.length || right < now.length) {
    if (left < old.length && right < now.length && old[left] === now[right]) {
      [left, right, isInHunk] = [left + 1, right + 1, false];
      continue;
    }
    if (!isInHunk) out.push(`@@ line ${right + 1} @@`);
    isInHunk = true;
    const isRemoved =
      left < old.length &&
      (right >= now.length || at(lengths, left + 1, right) >= at(lengths, left, right + 1));
    if (isRemoved) out.push(`-${old[left++]}`);
    else out.push(`+${now[right++]}`);
  }
  return out.map((line) => `${line}\n`).join("");
}

/** Prints a diff in colour. */
export function printDiff(output: Output, file: string, diff: string): void {
  const { style } = output;
  output.line(style.strong(safe`  ${safeLine(file)}`));
  for (const line of linesOf(diff)) {
    const text = safe`  ${safeText(line)}`;
    const paint = line.startsWith("+")
      ? style.good
      : line.startsWith("-")
        ? style.bad
        : style.faint;
    output.line(paint(text));
  }
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);
}

/** Length of the longest common subsequence of what follows each pair of places. */
function commonLengths(old: readonly string[], now: readonly string[]): readonly Uint32Array[] {
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1));
  for (let left = old.length - 1; left >= 0; left--) {
    for (let right = now.length - 1; right >= 0; right--) {
      const row = lengths[left];
      if (row === undefined) continue;
      row[right] =
        old[left] === now[right]
          ? at(lengths, left + 1, right + 1) + 1
          : Math.max(at(lengths, left + 1, right), at(lengths, left, right + 1));
    }
  }
  return lengths;
}

function at(lengths: readonly Uint32Array[], left: number, right: number): number {
  return lengths[left]?.[right] ?? 0;
}
