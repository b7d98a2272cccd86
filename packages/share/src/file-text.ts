import { isUtf8 } from "node:buffer";

/** The field that holds base64, by the type of a file's content as JSON. */
export const base64Fields: ReadonlyMap<string, string> = new Map([
  ["bytes", "base64"],
  ["base64", "text"],
]);

/** The text of a file in base64, however it is wrapped; undefined if it is not UTF-8. */
export function fileText(base64: string): string | undefined {
  const bytes = Buffer.from(base64, "base64");
  return isUtf8(bytes) ? bytes.toString() : undefined;
}
