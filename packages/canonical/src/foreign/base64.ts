/**
 * The bytes that a base64 text stands for: in either alphabet, with or without padding, also where
 * it is broken into lines. Undefined where it stands for none, because Node decodes any text, and of
 * what is no base64 it gives bytes that nobody wrote.
 */
export function base64Bytes(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, "base64");
  const encoded = bytes.toString("base64");
  // Most texts are as they would be encoded, which is told fast: images have many megabytes.
  const isBase64 = encoded === text || digitsOf(encoded) === digitsOf(text);
  return isBase64 && bytes.length > 0 ? bytes : undefined;
}

/** The digits of a base64 text, in the first alphabet. */
function digitsOf(text: string): string {
  return text
    .replaceAll(/\s+/g, "")
    .replace(/={1,2}$/, "")
    .replaceAll("-", "+")
    .replaceAll("_", "/");
}
