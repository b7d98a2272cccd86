import { type JsonValue, parseJson, stringifyJson } from "@pond/canonical";

/**
 * The value as it is now: an agent goes on with what it handed over. Fields that are undefined are
 * left out.
 *
 * @throws {TypeError} where it is no JSON: a circle, a bigint, a number that is none, nothing at all.
 */
export function snapshot(value: unknown): JsonValue {
  const text: unknown = stringifyJson(value as JsonValue);
  if (typeof text !== "string") throw new TypeError(`${typeof value} is no JSON value`);
  // What JSON writes for `NaN` nobody said.
  if (text.includes("null") && holdsNoNumber(value)) throw new TypeError("NaN is no JSON value");
  return parseJson(text);
}

/** True where there is `NaN` or an infinity in the value, at any depth. */
function holdsNoNumber(value: unknown): boolean {
  const rest = [value];
  while (rest.length > 0) {
    const each = rest.pop();
    if (typeof each === "number" && !Number.isFinite(each)) return true;
    if (typeof each !== "object" || each === null) continue;
    for (const inner of Object.values(each)) rest.push(inner);
  }
  return false;
}
