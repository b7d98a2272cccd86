import type { Pooling } from "../settings.ts";

/**
 * Makes one vector per text from one vector per token.
 *
 * @param hidden - Rows of `width` tokens of `dimension` numbers.
 * @param lengths - Tokens of each row that are text. The rest is padding and does not count.
 */
export function pool(
  hidden: Float32Array,
  lengths: readonly number[],
  width: number,
  dimension: number,
  pooling: Pooling,
): Float32Array[] {
  return lengths.map((length, row) => {
    const start = row * width * dimension;
    if (pooling === "cls") return hidden.subarray(start, start + dimension);
    const mean = new Float32Array(dimension);
    for (let token = 0; token < length; token++) {
      const from = start + token * dimension;
      for (let at = 0; at < dimension; at++) {
        mean[at] = (mean[at] ?? 0) + (hidden[from + at] ?? 0);
      }
    }
    return mean.map((sum) => sum / length);
  });
}
