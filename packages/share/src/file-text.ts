import { isUtf8 } from "node:buffer";

/** By the type of a file's content, as JSON, the field that holds base64. */
export const base64Fields: ReadonlyMap<string, string> = new Map([
  ["bytes", "base64"],
  ["base64", "text"],
]);

/** The text of a file in base64, however that is wrapped; undefined where it is no UTF-8. */
export function fileText(base64: string): string | undefined {
  const bytes = Buffer.from(base64, "base64");
  return isUtf8(bytes) ? bytes.toString() : undefined;
}
