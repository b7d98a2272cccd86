/** Latin letters, digits and kana of another width; half-width kana with their voicing. */
const otherWidth = /[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]|[\uff66-\uff9d][\uff9e\uff9f]?/g;

// Of all below there is one form.
const severalForms = /[\u0300-\uffff]/;

/**
 * A text in the one form it is searched in: a letter and its marks are one code point, jamo are
 * syllables, and letters have the width of their script, however somebody typed them. Symbols that
 * Unicode calls compatible with others stay what they are.
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

// To put a run of marks in order takes the square of its length: of 200,000 some 40 s.
const stretchChars = 1_024;
const longestCluster = 64;
const goesOn = /^[\p{M}\u1160-\u11ff\uff9e\uff9f\udc00-\udfff]/u;

const lowSurrogate = /[\udc00-\udfff]/;

/** The last place up to `at` where no letter is cut from its marks, nor a syllable apart. */
export function edgeNear(text: string, at: number): number {
  for (let edge = at; edge > at - longestCluster && edge < text.length; edge -= 1) {
    if (!goesOn.test(text.slice(edge, edge + 2))) return edge;
  }
  // Among nothing but marks no place is better than another, but inside of a pair there is none.
  return lowSurrogate.test(text.charAt(at)) ? at - 1 : at;
}
