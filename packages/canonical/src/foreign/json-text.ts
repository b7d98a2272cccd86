import { type JsonValue, stringifyJson } from "../json.ts";

/**
 * A value as JSON text without lone surrogates, which no API takes: U+FFFD stands for each. Only
 * lone ones are written as escapes; a pair stands as it is.
 */
export function wellFormedJson(value: JsonValue): string {
  const text = stringifyJson(value);
  if (!text.includes("\\ud")) return text;
  return text.replace(/\\(?:ud[89a-f][0-9a-f]{2}|.)/g, (written) =>
    written.length > 2 ? "\\ufffd" : written,
  );
}

/** True where JSON text of any writer holds a lone surrogate: an escape that is no half of a pair. */
export function holdsLoneSurrogate(json: string): boolean {
  const single = json
    .replaceAll("\\\\", " ")
    .replace(/\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}/gi, "");
  return /\\ud[89a-f][0-9a-f]{2}/i.test(single);
}
