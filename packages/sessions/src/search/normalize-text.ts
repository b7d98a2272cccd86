/** Latin letters, digits and kana of another width; half-width kana with their voicing marks. */
const otherWidth = /[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]|[\uff66-\uff9d][\uff9e\uff9f]?/g;

/**
 * Vowel signs of Arabic and points of Hebrew, which people write or leave out as they like. Marks
 * that make another letter, such as a hamza, stay.
 */
const optionalMarks =
  /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u0652\u0670]/g;

// Every character below this has only one form.
const mayNeedNormalizing = /[\u0300-\uffff]/;

/**
 * A text in the one form in which it is searched, however somebody typed it: a letter and its marks
 * are one code point, jamo are syllables, letters have the width of their script, and vowel signs
 * that need not be written are not. Symbols that Unicode calls compatible with others stay as they
 * are.
 */
export function normalizeText(text: string): string {
  if (!mayNeedNormalizing.test(text)) return text;
  let normalized = "";
  for (let start = 0; start < text.length; ) {
    const end = clusterBoundaryNear(text, start + chunkChars);
    const chunk = text.slice(start, end);
    const bare = chunk.replaceAll(optionalMarks, "");
    normalized += bare.replaceAll(otherWidth, (piece) => piece.normalize("NFKC")).normalize("NFC");
    start = end;
  }
  return normalized;
}

// Ordering a run of marks takes the square of its length: about 40 s for 200,000.
const chunkChars = 1_024;
const maxClusterChars = 64;
const continuesCluster = /^[\p{M}\u1160-\u11ff\uff9e\uff9f\udc00-\udfff]/u;

const lowSurrogate = /[\udc00-\udfff]/;

/** The last place up to `at` that separates neither a letter from its marks nor a syllable. */
export function clusterBoundaryNear(text: string, at: number): number {
  for (
    let boundary = at;
    boundary > at - maxClusterChars && boundary < text.length;
    boundary -= 1
  ) {
    if (!continuesCluster.test(text.slice(boundary, boundary + 2))) return boundary;
  }
  // Within a run of marks no place is better than another, except that none is inside a pair.
  return lowSurrogate.test(text.charAt(at)) ? at - 1 : at;
}
