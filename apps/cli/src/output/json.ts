import type { JsonValue } from "@pond/canonical";
import type { Output } from "./output.ts";

/** Prints a wire value exactly: numbers keep their digits, and text every character. */
export async function printJson(output: Output, value: object): Promise<void> {
  const { stringifyJson } = await import("@pond/canonical");
  // Wire types are JSON; TypeScript cannot see it through their optional fields.
  output.jsonText(stringifyJson(value as JsonValue));
}
