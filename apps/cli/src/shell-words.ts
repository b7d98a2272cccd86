/** A command line that a POSIX shell reads as exactly these words, whatever is in them. */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}

function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (!needsEscapes.test(word)) return `'${word.replaceAll("'", "'\\''")}'`;
  // Control characters, characters that change the direction of text and invisible ones must not
  // reach a terminal unchanged, and are shown differently there.
  const escaped = word.replaceAll(/[\\']/g, "\\$&").replaceAll(everyEscape, escapeOf);
  return `$'${escaped}'`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
const needsEscapes = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;
const everyEscape = new RegExp(needsEscapes, "gu");

function escapeOf(character: string): string {
  return [...Buffer.from(character)]
    .map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`)
    .join("");
}
