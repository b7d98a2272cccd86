declare const brand: unique symbol;

/**
 * Text that is safe to print on a terminal. Anything from a session, a file name or an error passes
 * through `safeText` or `safeLine` first. The output functions take nothing else, so forgetting it
 * does not compile.
 */
export type SafeText = string & { readonly [brand]: true };

/** Makes text of several lines safe: its control characters become visible and harmless. */
export function safeText(text: string): SafeText {
  // Nearly all text has nothing to replace, and testing is cheaper than replacing.
  const isPlain = !unsafe.test(text) && text.isWellFormed();
  return (isPlain ? text : neutralise(text.replaceAll("\r\n", "\n"))) as SafeText;
}

/** The same on one line: breaks and tabs become spaces. */
export function safeLine(text: string): SafeText {
  return neutralise(text.replaceAll(/[\t\n\r\u2028\u2029]+/g, " ")) as SafeText;
}

/** A template of our own words around text that is already safe. */
export function safe(
  words: TemplateStringsArray,
  ...values: readonly (SafeText | number)[]
): SafeText {
  return String.raw({ raw: words }, ...values) as SafeText;
}

/** Puts a terminal style around text; the sequences are ours. */
export function styleSafe(open: string, text: SafeText, close: string): SafeText {
  return (text === "" ? "" : `${open}${text}${close}`) as SafeText;
}

export function joinSafe(texts: readonly SafeText[], separator: string): SafeText {
  return texts.join(separator) as SafeText;
}

/** A part of it, as long as the caller knows that it holds no style. */
export function sliceSafe(text: SafeText, start: number, end?: number): SafeText {
  return text.slice(start, end) as SafeText;
}

// C0 except tab and newline, DEL, C1, characters that change the direction of text, and tags, which
// nobody sees and a model reads as letters: these hide what is read.
const unsafe =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;
// The flags of England, Scotland and Wales consist of tags and are visible: `gbeng`. With other
// letters, nothing is seen but a black flag.
const flag =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/u;
const everyUnsafe = new RegExp(`${flag.source}|${unsafe.source}`, "gu");
const unescapedUnsafe = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;

function neutralise(text: string): string {
  return text.toWellFormed().replaceAll(everyUnsafe, pictureOf);
}

/** JSON of the same value on which a terminal does not act, either. */
export function escapedJson(json: string): string {
  // C0 is escaped in any JSON.
  return json.replaceAll(unescapedUnsafe, escapeOf);
}

function escapeOf(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

function pictureOf(character: string): string {
  if (flag.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}
