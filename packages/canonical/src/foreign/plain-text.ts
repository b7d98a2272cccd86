import { type JsonValue, stringifyJson } from "../json.ts";

/**
 * A value as text, for people: a string as it is, anything else as JSON. `String` throws where an
 * object from a file brings a `toString` of its own.
 */
export function plainText(value: JsonValue | undefined): string {
  if (typeof value === "string") return value;
  return value === undefined ? "undefined" : stringifyJson(value);
}
