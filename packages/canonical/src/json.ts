import * as v from "valibot";
import { parseExactly } from "./json-parser.ts";
import { stringifyDeep } from "./json-writer.ts";
import { isLostInDouble, isRawNumber, type RawNumber } from "./raw-number.ts";
import { hasTooManyValues, TooManyValuesError } from "./value-count.ts";

/** A JSON object. Keys are as the source wrote them; `__proto__` is a key like any other. */
export type JsonObject = { readonly [key: string]: JsonValue };
/** Any JSON value. A number that a double would change is a {@link RawNumber}. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | RawNumber
  | readonly JsonValue[]
  | JsonObject;

// Shallow on purpose: the values come from a parser and may be nested 10,000 deep.
export const jsonValueSchema: v.GenericSchema<unknown, JsonValue> = v.custom<JsonValue>(
  (value) => value !== undefined && typeof value !== "bigint" && typeof value !== "function",
  "expected a JSON value",
);
export const jsonObjectSchema: v.GenericSchema<unknown, JsonObject> = v.custom<JsonObject>(
  isJsonObject,
  "expected a JSON object",
);

/** True for a JSON object; false for arrays, null and raw numbers. */
export function isJsonObject(value: unknown): value is JsonObject {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !isRawNumber(value)
  );
}

/**
 * Parses JSON without loss. A number that a double cannot carry stays text (`RawNumber`),
 * `__proto__` is a field, nesting may have any depth, and the last of equal keys wins.
 *
 * @throws {SyntaxError} as `JSON.parse` does.
 * @throws {TooManyValuesError} a `SyntaxError`, for a text of more than eight million values.
 */
export function parseJson(text: string): JsonValue {
  if (hasTooManyValues(text)) throw new TooManyValuesError();
  const exact = holdsLostNumber(text) ? parseExactly(text) : undefined;
  return exact ? exact.value : parseNatively(text);
}

/** Like {@link parseJson}, but returns undefined where that throws. */
export function tryParseJson(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The object that the text holds; undefined if it holds another value or is not JSON. */
export function tryParseObject(text: string): JsonObject | undefined {
  const value = tryParseJson(text);
  return isJsonObject(value) ? value : undefined;
}

/**
 * Writes JSON, at any depth, that `parseJson` reads back as an equal value. A lone surrogate is
 * written as an escape, so that the text is valid Unicode.
 *
 * @throws {RangeError} if the text would be longer than a string can be.
 */
export function stringifyJson(value: JsonValue): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return stringifyDeep(value);
    throw error;
  }
}

function parseNatively(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch (error) {
    // Nested too deep for the engine. That takes millions of levels, so it is rare.
    const exact = error instanceof RangeError ? parseExactly(text) : undefined;
    if (exact) return exact.value;
    throw error;
  }
}

// A number of up to 15 digits without an exponent is exact in a double. With the class spelled out
// sixteen times, the engine searches four characters at a time: 0.6 ns a character, a sixth of what
// `JSON.parse` takes. Every repetition is bounded, because the engine's own stack overflows on
// millions of digits.
const longNumberSomewhere: RegExp = new RegExp(
  `\\d${"[\\d.]".repeat(15)}|\\d[eE][+-]?\\d{1,15}(?:[\\s,\\]}]|$)`,
);
const longNumber =
  /(?:[:,[\s]|^)(-?(?:[\d.]{16,999}|\d{1,15}(?:\.\d{1,15})?(?=[eE]))(?:[eE][+-]?\d{1,999})?)/g;

/**
 * True if the text may hold a number that a double would change. Text inside strings counts too.
 */
function holdsLostNumber(text: string): boolean {
  if (!longNumberSomewhere.test(text)) return false;
  longNumber.lastIndex = 0;
  for (let match = longNumber.exec(text); match; match = longNumber.exec(text)) {
    const number = match[1] ?? "";
    if (number.length >= 999 || isLostInDouble(number)) return true;
  }
  return false;
}
