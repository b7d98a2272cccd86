/** Scales a vector to length 1; undefined if that is impossible: zero, NaN, infinite. */
export function toUnitVector(vector: ArrayLike<number>): Float32Array | undefined {
  let squares = 0;
  for (let at = 0; at < vector.length; at++) squares += (vector[at] ?? 0) ** 2;
  if (!Number.isFinite(squares) || squares === 0) return undefined;
  const length = Math.sqrt(squares);
  return Float32Array.from(vector, (value) => value / length);
}
