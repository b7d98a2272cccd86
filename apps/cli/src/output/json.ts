import { type JsonValue, stringifyJson } from "@pond/canonical";
import type { Output } from "./output.ts";

/** Prints a wire value exactly: numbers keep their digits, text its every character. */
export function printJson(output: Output, value: object): void {
  // Wire types are JSON; TypeScript cannot see it through their optional fields.
  output.jsonText(stringifyJson(value as JsonValue));
}
