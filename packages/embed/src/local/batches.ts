/** What one run of the model takes: a batch of texts is padded to the longest of them. */
const defaults = { maxPaddedTokens: 2048, maxRows: 64 };

/**
 * Groups texts of near length, so that hardly any work goes into padding (a run costs its rows
 * times its longest row). Longest first: what memory a run needs is known at the first.
 *
 * @param lengths - Tokens of each text.
 * @returns Batches of indexes into `lengths`; each index once.
 */
export function planBatches(
  lengths: readonly number[],
  { maxPaddedTokens, maxRows }: typeof defaults = defaults,
): number[][] {
  const byLength = lengths.map((_, index) => index);
  byLength.sort((a, b) => (lengths[b] ?? 0) - (lengths[a] ?? 0));
  const batches: number[][] = [];
  let room = 0;
  for (const index of byLength) {
    if (room === 0) {
      batches.push([]);
      room = Math.max(1, Math.min(maxRows, Math.floor(maxPaddedTokens / (lengths[index] || 1))));
    }
    batches.at(-1)?.push(index);
    room--;
  }
  return batches;
}
