/** The cosine of two unit vectors; NaN if one is missing or shorter. */
export function cosineSimilarity(a: Float32Array | undefined, b: Float32Array | undefined): number {
  return a?.reduce((sum, value, at) => sum + value * (b?.[at] ?? Number.NaN), 0) ?? Number.NaN;
}
