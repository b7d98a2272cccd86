/**
 * Decodes base64 in either alphabet, with or without padding, also when it is broken into lines.
 * Undefined if the text is not base64: Node decodes any text, and would return bytes that nobody
 * wrote.
 */
export function base64Bytes(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, "base64");
  const encoded = bytes.toString("base64");
  // Most texts are canonical, which is quick to check; images have many megabytes.
  const isBase64 = encoded === text || digitsOf(encoded) === digitsOf(text);
  return isBase64 && bytes.length > 0 ? bytes : undefined;
}

/** The digits of a base64 text, in the standard alphabet. */
function digitsOf(text: string): string {
  return text
    .replaceAll(/\s+/g, "")
    .replace(/={1,2}$/, "")
    .replaceAll("-", "+")
    .replaceAll("_", "/");
}
