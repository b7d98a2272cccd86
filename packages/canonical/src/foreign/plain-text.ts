import { type JsonValue, stringifyJson } from "../json.ts";

/**
 * Shows a value to people: a string as it is, anything else as JSON. `String` would throw for an
 * object from a file that brings its own `toString`.
 */
export function plainText(value: JsonValue | undefined): string {
  if (typeof value === "string") return value;
  return value === undefined ? "undefined" : stringifyJson(value);
}
