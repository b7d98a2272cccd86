export const specialTokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"] as const;

/**
 * Tokens of the test model, by id: the special ones, the caller's whole words, then pieces of one
 * and two bytes, so that no text is unknown and different words hardly ever share all pieces.
 */
export function testVocabulary(words: readonly string[]): string[] {
  const bytes = byteCharacters();
  const pieces = new Set(words.map((word) => spell(word, bytes)));
  for (const prefix of ["", "##"]) {
    for (const byte of bytes) pieces.add(prefix + byte);
    for (const first of wordCharacters) {
      for (const second of wordCharacters) pieces.add(prefix + first + second);
    }
  }
  return [...specialTokens, ...pieces];
}

const wordCharacters = "abcdefghijklmnopqrstuvwxyz0123456789";

/** A word as the byte-level pre-tokenizer writes it. */
function spell(word: string, bytes: readonly string[]): string {
  return [...new TextEncoder().encode(word.toLowerCase())].map((byte) => bytes[byte]).join("");
}

/** The visible character that byte-level tokenizers write for each byte. */
function byteCharacters(): string[] {
  const isVisible = (byte: number): boolean =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xff && byte !== 0xad);
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) =>
    String.fromCharCode(isVisible(byte) ? byte : next++),
  );
}
