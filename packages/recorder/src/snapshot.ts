import { type JsonValue, parseJson, stringifyJson } from "@pond/canonical";

/**
 * The value as it is now: an agent goes on with what it handed over. Fields that are undefined are
 * left out.
 *
 * @throws {TypeError} where it is no JSON: a circle, a bigint, nothing at all.
 */
export function snapshot(value: unknown): JsonValue {
  const text: unknown = stringifyJson(value as JsonValue);
  if (typeof text !== "string") throw new TypeError(`${typeof value} is no JSON value`);
  return parseJson(text);
}
