import { type JsonValue, stringifyJson } from "../json.ts";

/**
 * Writes a value as JSON text without lone surrogates, which no API takes: each becomes U+FFFD. A
 * surrogate pair stays as it is, unescaped.
 */
export function wellFormedJson(value: JsonValue): string {
  const text = stringifyJson(value);
  if (!text.includes("\\ud")) return text;
  return text.replace(/\\(?:ud[89a-f][0-9a-f]{2}|.)/g, (written) =>
    written.length > 2 ? "\\ufffd" : written,
  );
}

/**
 * True if JSON text holds a lone surrogate: an escape that is not half of a pair. The text may come
 * from any writer.
 */
export function hasLoneSurrogate(json: string): boolean {
  const single = json
    .replaceAll("\\\\", " ")
    .replace(/\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}/gi, "");
  return /\\ud[89a-f][0-9a-f]{2}/i.test(single);
}
