/** How much one run of the model takes: a batch is padded to its longest text. */
const defaults = { maxPaddedTokens: 2048, maxRows: 64 };

/**
 * Groups texts of similar length, so that hardly any work goes into padding (the cost of a run is
 * its rows times its longest row). The longest come first, so that the first run shows how much
 * memory is needed.
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
