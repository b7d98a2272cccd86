/** Latin letters, digits and kana of another width; half-width kana with their voicing marks. */
const otherWidth = /[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]|[\uff66-\uff9d][\uff9e\uff9f]?/g;

// Every character below this has only one form.
const severalForms = /[\u0300-\uffff]/;

/**
 * A text in the one form in which it is searched, however somebody typed it: a letter and its marks
 * are one code point, jamo are syllables, and letters have the width of their script. Symbols that
 * Unicode calls compatible with others stay as they are.
 */
export function inOneForm(text: string): string {
  if (!severalForms.test(text)) return text;
  let one = "";
  for (let start = 0; start < text.length; ) {
    const end = edgeNear(text, start + stretchChars);
    const stretch = text.slice(start, end);
    one += stretch.replaceAll(otherWidth, (piece) => piece.normalize("NFKC")).normalize("NFC");
    start = end;
  }
  return one;
}

// Ordering a run of marks takes the square of its length: about 40 s for 200,000.
const stretchChars = 1_024;
const longestCluster = 64;
const goesOn = /^[\p{M}\u1160-\u11ff\uff9e\uff9f\udc00-\udfff]/u;

const lowSurrogate = /[\udc00-\udfff]/;

/** The last place up to `at` that separates neither a letter from its marks nor a syllable. */
export function edgeNear(text: string, at: number): number {
  for (let edge = at; edge > at - longestCluster && edge < text.length; edge -= 1) {
    if (!goesOn.test(text.slice(edge, edge + 2))) return edge;
  }
  // Within a run of marks no place is better than another, except that none is inside a pair.
  return lowSurrogate.test(text.charAt(at)) ? at - 1 : at;
}
