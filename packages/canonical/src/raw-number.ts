/**
 * A number that a double cannot carry, kept as text, as `JSON.rawJSON` makes it:
 * `{ rawJSON: "1e400" }`.
 */
// An interface, because a type alias would have an index signature and pass for a JsonObject.
export interface RawNumber {
  readonly rawJSON: string;
}

// Node has had both since 22; TypeScript's library does not know them yet.
declare global {
  interface JSON {
    rawJSON(text: string): RawNumber;
    isRawJSON(value: unknown): value is RawNumber;
  }
}

/** True for a number that `parseJson` kept as text, and for nothing that only looks like one. */
export function isRawNumber(value: unknown): value is RawNumber {
  return JSON.isRawJSON(value);
}

/** The number that a JSON number's text stands for: a double if one carries it, else the text. */
export function exactNumber(text: string): number | RawNumber {
  const double = Number(text);
  return isExactDouble(text, double) ? double : JSON.rawJSON(text);
}

/** True where the text is a number that a double would change. */
export function isLostInDouble(text: string): boolean {
  const double = Number(text);
  return !Number.isNaN(double) && !isExactDouble(text, double);
}

/** True if both texts are JSON numbers of the same value: `1`, `1.0`, `1e0`, `10e-1`. */
export function numberTextEqual(left: string, right: string): boolean {
  return left === right || decimal(left) === decimal(right);
}

function isExactDouble(text: string, double: number): boolean {
  const written = String(double);
  return written === text || (Number.isFinite(double) && decimal(written) === decimal(text));
}

/**
 * Gives each value one spelling: its digits without leading or trailing zeros, and a power of ten.
 */
function decimal(text: string): string {
  const isNegative = text.startsWith("-");
  const mark = text.search(/[eE]/);
  const mantissa = text.slice(isNegative ? 1 : 0, mark < 0 ? text.length : mark);
  const point = mantissa.indexOf(".");
  const digits = point < 0 ? mantissa : mantissa.slice(0, point) + mantissa.slice(point + 1);

  const from = zerosEnd(digits, 0);
  if (from === digits.length) return "0";
  let to = digits.length;
  while (digits.charCodeAt(to - 1) === zero) to--;

  const shift = digits.length - to - (point < 0 ? 0 : mantissa.length - point - 1);
  const exponent = mark < 0 ? BigInt(shift) : power(text.slice(mark + 1), shift);
  return `${isNegative ? "-" : ""}${digits.slice(from, to)}e${exponent}`;
}

/**
 * An exponent plus a shift. Past a thousand digits, where BigInt grows slow, it stays an
 * unevaluated sum.
 */
function power(text: string, shift: number): bigint | string {
  const sign = text.startsWith("-") ? "-" : "";
  const digits = text.slice(zerosEnd(text, text.startsWith("+") || sign ? 1 : 0)) || "0";
  return digits.length <= 1000
    ? BigInt(sign + digits) + BigInt(shift)
    : `${sign}${digits}+${shift}`;
}

function zerosEnd(digits: string, from: number): number {
  let end = from;
  while (digits.charCodeAt(end) === zero) end++;
  return end;
}

const zero = 48;
