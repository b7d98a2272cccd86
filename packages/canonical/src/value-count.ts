/**
 * The most values that one text may hold: parsed, each takes up to a hundred times its text, and
 * 250 MB of `{},` more than the memory of most machines.
 */
const maxValues = 8_000_000;

/** A text of more than eight million values, which is not parsed (`adapter-bounded-values`). */
export class TooManyValuesError extends SyntaxError {
  override readonly name = "TooManyValuesError";

  constructor() {
    super(`more than ${maxValues} values are not kept`);
  }
}

/** True if JSON text holds more values than are kept. What is inside strings does not count. */
export function hasTooManyValues(text: string, most: number = maxValues): boolean {
  // Each value takes a character and what sets it apart.
  if (text.length < 2 * most) return false;
  // Each value but the outermost follows a comma, or is the first in a list or an object.
  let values = 0;
  for (let at = 0; at < text.length && values <= most; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at);
        break;
      case comma:
      case openBracket:
      case openBrace:
        values += 1;
    }
  }
  return values > most;
}

/** The place of the quote that ends a string. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slash = at;
    while (text.charCodeAt(slash - 1) === backslash) slash -= 1;
    if ((at - slash) % 2 === 0) return at;
  }
  return text.length;
}

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const openBrace = 0x7b;
