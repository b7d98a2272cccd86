// C0 but tab and newline, DEL, C1, what changes the direction of text, a BOM inside of it, and tags,
// which nobody sees and a model reads as letters.
const hostile =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u;
// The flags of England, Scotland and Wales are made of tags, and seen: `gbeng`. Of other letters
// nothing is seen but a black flag.
const flag =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/u;
const everyHostile = new RegExp(`${flag.source}|${hostile.source}`, "gu");

/** Text with the same lines, its control characters and direction marks as something one sees. */
export function visible(text: string): string {
  return text.toWellFormed().replaceAll(/\r\n?/g, "\n").replaceAll(everyHostile, pictureOf);
}

/** The same on one line, at most `limit` characters of it. */
export function visibleLine(text: string, limit: number = 200): string {
  const start = text
    .slice(0, limit * 4)
    .trim()
    .replaceAll(/\s+/g, " ");
  const line = visible(start);
  return line.length > limit || text.length > limit * 4
    ? `${line.slice(0, limit - 1).toWellFormed()}…`
    : line;
}

function pictureOf(character: string): string {
  if (flag.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
