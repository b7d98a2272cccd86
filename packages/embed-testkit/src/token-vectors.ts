/**
 * One row of small integers for each token, as int8 bytes. A token's row depends only on its text,
 * so a larger vocabulary does not change it.
 */
export function tokenVectors(vocabulary: readonly string[], dimension: number): Uint8Array {
  const rows = new Int8Array(vocabulary.length * dimension);
  vocabulary.forEach((token, id) => {
    const next = seededIntegers(token);
    for (let at = 0; at < dimension; at++) {
      rows[id * dimension + at] = (next() & 1 ? 1 : -1) * weightOf(token);
    }
  });
  return new Uint8Array(rows.buffer);
}

/** The frame of a text says little about it; padding is loud, so that pooling over it shows. */
function weightOf(token: string): number {
  if (token === "[PAD]") return 100;
  return token.startsWith("[") && token.length > 1 ? 1 : 16;
}

/** Pseudo-random integers determined by a text (FNV-1a, then xorshift). */
function seededIntegers(text: string): () => number {
  let state = 0x811c9dc5;
  for (const character of text) {
    state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  state ||= 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 8) & 0xff;
  };
}
