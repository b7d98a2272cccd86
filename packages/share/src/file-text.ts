/** By the type of a file's content, as JSON, the field that holds base64. */
export const base64Fields: ReadonlyMap<string, string> = new Map([
  ["bytes", "base64"],
  ["base64", "text"],
]);

/** The text of a file in base64, however that is wrapped; undefined where it is no UTF-8. */
export function fileText(base64: string): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      Buffer.from(base64, "base64"),
    );
  } catch {
    return undefined;
  }
}
