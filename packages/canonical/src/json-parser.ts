import type { JsonValue } from "./json.ts";
import { exactNumber } from "./raw-number.ts";
import { setField } from "./set-field.ts";

type MutableObject = { [key: string]: JsonValue };
type Container = JsonValue[] | MutableObject;

/**
 * Parses JSON of any depth and keeps every number exact. The stack is a list, so nesting costs
 * memory rather than call frames.
 *
 * @returns undefined if the text is not JSON; `JSON.parse` then says why.
 */
export function parseExactly(text: string): { readonly value: JsonValue } | undefined {
  const stack: Container[] = [];
  const keys: string[] = [];
  let container: Container | undefined;
  let key = "";
  let at = skipSpace(text, 0);

  for (;;) {
    let value: JsonValue;
    const code = text.charCodeAt(at);
    if (code === openBrace || code === openBracket) {
      const isArray = code === openBracket;
      const opened: Container = isArray ? [] : {};
      at = skipSpace(text, at + 1);
      if (text.charCodeAt(at) === (isArray ? closeBracket : closeBrace)) {
        at++;
        value = opened;
      } else {
        if (container !== undefined) {
          stack.push(container);
          keys.push(key);
        }
        container = opened;
        if (isArray) continue;
        const name = readKey(text, at);
        if (name === undefined) return undefined;
        key = name.value;
        at = name.end;
        continue;
      }
    } else {
      const scalar = readScalar(text, at, code);
      if (scalar === undefined) return undefined;
      value = scalar.value;
      at = scalar.end;
    }

    // The value is complete: place it, and close every container that ends after it.
    for (;;) {
      at = skipSpace(text, at);
      if (container === undefined) return at === text.length ? { value } : undefined;
      place(container, key, value);
      const next = text.charCodeAt(at);
      const isArray = Array.isArray(container);
      if (next === comma) {
        at = skipSpace(text, at + 1);
        if (isArray) break;
        const name = readKey(text, at);
        if (name === undefined) return undefined;
        key = name.value;
        at = name.end;
        break;
      }
      if (next !== (isArray ? closeBracket : closeBrace)) return undefined;
      at++;
      value = container;
      container = stack.pop();
      key = keys.pop() ?? "";
    }
  }
}

type Token<T> = { readonly value: T; readonly end: number };

function place(container: Container, key: string, value: JsonValue): void {
  if (Array.isArray(container)) container.push(value);
  else setField(container, key, value);
}

function readKey(text: string, at: number): Token<string> | undefined {
  if (text.charCodeAt(at) !== quote) return undefined;
  const name = readString(text, at);
  if (name === undefined) return undefined;
  const end = skipSpace(text, name.end);
  if (text.charCodeAt(end) !== colon) return undefined;
  return { value: name.value, end: skipSpace(text, end + 1) };
}

function readScalar(text: string, at: number, code: number): Token<JsonValue> | undefined {
  if (code === quote) return readString(text, at);
  const literal = literals.find(({ name }) => text.startsWith(name, at));
  if (literal) return { value: literal.value, end: at + literal.name.length };
  const end = numberEnd(text, at);
  return end === undefined ? undefined : { value: exactNumber(text.slice(at, end)), end };
}

/**
 * Where the number at `at` ends. Scanned by hand, because a pattern overflows on millions of
 * digits.
 */
function numberEnd(text: string, at: number): number | undefined {
  const from = text.charCodeAt(at) === minus ? at + 1 : at;
  let end: number | undefined = text.charCodeAt(from) === zero ? from + 1 : digitsEnd(text, from);
  if (end !== undefined && text.charCodeAt(end) === point) end = digitsEnd(text, end + 1);
  if (end === undefined || (text.charCodeAt(end) | lowerCase) !== letterE) return end;
  const sign = text.charCodeAt(end + 1);
  return digitsEnd(text, sign === plus || sign === minus ? end + 2 : end + 1);
}

function digitsEnd(text: string, from: number): number | undefined {
  let end = from;
  for (let code = text.charCodeAt(end); code >= zero && code <= nine; ) {
    code = text.charCodeAt(++end);
  }
  return end === from ? undefined : end;
}

function readString(text: string, at: number): Token<string> | undefined {
  let end = at;
  do {
    end = text.indexOf('"', end + 1);
    if (end < 0) return undefined;
  } while (isEscaped(text, end));
  const inner = text.slice(at + 1, end);
  if (!needsDecoding.test(inner)) return { value: inner, end: end + 1 };
  try {
    return { value: JSON.parse(text.slice(at, end + 1)), end: end + 1 };
  } catch {
    return undefined;
  }
}

/** A quote after an odd number of backslashes is part of the string. */
function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (text.charCodeAt(from - 1) === backslash) from--;
  return (at - from) % 2 === 1;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at;
    at++;
  }
}

const literals = [
  { name: "null", value: null },
  { name: "true", value: true },
  { name: "false", value: false },
];
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them bare.
const needsDecoding = /[\\\u0000-\u001f]/;
const quote = 0x22;
const backslash = 0x5c;
const plus = 0x2b;
const comma = 0x2c;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;
const colon = 0x3a;
const letterE = 0x65;
const lowerCase = 0x20;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
