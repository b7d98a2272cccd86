/** The word that was most likely meant; undefined if none is similar enough to be a typo. */
export function nearestTo(typed: string, words: readonly string[]): string | undefined {
  const near = words
    .map((word) => ({ word, edits: editsBetween(typed.toLowerCase(), word.toLowerCase()) }))
    .filter(({ word, edits }) => edits <= Math.max(1, Math.floor(word.length / 3)))
    .sort((left, right) => left.edits - right.edits);
  return near[0]?.word;
}

/** How many letters to add, remove or replace to get from one to the other. */
function editsBetween(from: string, to: string): number {
  // Nobody means a word by a text several times as long, and the table below grows with both.
  if (Math.abs(from.length - to.length) > to.length) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [done, letter] of [...from].entries()) {
    const next = [done + 1];
    for (let at = 1; at <= to.length; at += 1) {
      const replaced = (row[at - 1] ?? 0) + (to[at - 1] === letter ? 0 : 1);
      next.push(Math.min(replaced, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
