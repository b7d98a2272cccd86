// C0 except tab and newline, DEL, C1, marks that change the direction of text, a BOM within text,
// and tag characters, which nobody sees but a model reads as letters.
const unsafe =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u;
// The flags of England, Scotland and Wales consist of tag characters, as in `gbeng`, and are
// visible. With other letters only a black flag is visible.
const flag =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/u;
const everyUnsafe = new RegExp(`${flag.source}|${unsafe.source}`, "gu");

/** The same lines of text, with control characters and direction marks made visible. */
export function visible(text: string): string {
  return text.toWellFormed().replaceAll(/\r\n?/g, "\n").replaceAll(everyUnsafe, pictureOf);
}

/** Visible text on one line, cut to at most `limit` characters. */
export function visibleLine(text: string, limit: number = 200): string {
  const start = text
    .slice(0, limit * 4)
    .trim()
    .replaceAll(/\s+/g, " ");
  const line = visible(start);
  if (line.length <= limit && text.length <= limit * 4) return line;
  return `${line.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

function pictureOf(character: string): string {
  if (flag.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
