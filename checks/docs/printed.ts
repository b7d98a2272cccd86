/** A line of three dots stands for any number of lines, none among them. */
const anything = "...";

/**
 * True where a command printed what the page says.
 *
 * Exact, but for what differs from one machine to the next: durations and sizes (a number with a
 * unit), and with their width the gaps of tables and where a sentence goes to its next line.
 */
export function isAsSaid(expected: readonly string[], printed: readonly string[]): boolean {
  const pieces: string[][] = [[]];
  for (const line of expected) {
    if (line === anything) pieces.push([]);
    else pieces.at(-1)?.push(line);
  }
  return isInOrder(pieces.map(masked), masked(printed));
}

/** True where a text begins with the first piece, ends with the last and has all between in order. */
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

/** What a command printed as a page should say it: cut where the page cut it before. */
export function cutAsSaid(expected: readonly string[], printed: readonly string[]): string[] {
  const [head, tail] = [expected.indexOf(anything), expected.lastIndexOf(anything)];
  const after = expected.length - 1 - tail;
  if (head === -1 || head + after >= printed.length) return [...printed];
  return [...printed.slice(0, head), anything, ...printed.slice(printed.length - after)];
}

function masked(lines: readonly string[]): string {
  return lines
    .join("\n")
    .replaceAll(/\b\d[\d.,]*\s?(ms|s|min|h|B|kB|MB|GB)\b/g, "#")
    .replaceAll(/\s+/g, " ")
    .trim();
}
