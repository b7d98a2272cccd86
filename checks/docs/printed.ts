/** A line of three dots stands for any number of lines, including none. */
const anything = "...";

/**
 * True if a command printed what the page says.
 *
 * Exact, except for differences between machines: durations and sizes (a number with a unit), and,
 * because of their width, the gaps of tables and the line breaks of sentences.
 */
export function matchesPage(expected: readonly string[], printed: readonly string[]): boolean {
  const pieces: string[][] = [[]];
  for (const line of expected) {
    if (line === anything) pieces.push([]);
    else pieces.at(-1)?.push(line);
  }
  return isInOrder(pieces.map(normalized), normalized(printed));
}

/** True if a text begins with the first piece, ends with the last, and has the others in order. */
function isInOrder([first = "", ...rest]: readonly string[], text: string): boolean {
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const piece of rest) {
    const at = text.indexOf(piece, from);
    if (at === -1) return false;
    from = at + piece.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}

/** The output of a command as a page should show it: cut where the page cut it before. */
export function cutLikePage(expected: readonly string[], printed: readonly string[]): string[] {
  const [head, tail] = [expected.indexOf(anything), expected.lastIndexOf(anything)];
  const after = expected.length - 1 - tail;
  if (head === -1 || head + after >= printed.length) return [...printed];
  return [...printed.slice(0, head), anything, ...printed.slice(printed.length - after)];
}

function normalized(lines: readonly string[]): string {
  return lines
    .join("\n")
    .replaceAll(/\b\d[\d.,]*\s?(ms|s|min|h|B|kB|MB|GB)\b/g, "#")
    .replaceAll(/\s+/g, " ")
    .trim();
}
