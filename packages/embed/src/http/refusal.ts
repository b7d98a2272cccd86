// What an endpoint says when it refuses texts.
import { isObject, textOf } from "../json-file.ts";

// Does not match a text that took too long: it would lose its end for good.
const tooLongMessage =
  /\b(?:is|are|input|inputs|prompt|text|sequence|request) too (?:large|long)\b|exceeds the (?:context|maximum (?:context|input|sequence|length|number of tokens|tokens))/i;

/**
 * Whether a text was refused for its length. Endpoints say that only in words, if at all; those
 * built on llama.cpp use the status of a temporary failure, and so does OpenAI for a request above
 * a limit of tokens in a minute.
 */
export function isRefusedForLength(status: number, body = ""): boolean {
  if (status === 400 || status === 413 || status === 422) return true;
  return (status === 500 || status === 429) && tooLongMessage.test(body);
}

/**
 * Whether a failure that looks temporary comes back each time: a quota that is used up, or a text
 * for which the model of Ollama computes no numbers.
 */
export function isLasting(status: number, kind: string, body = ""): boolean {
  if (status === 429) return kind === "insufficient_quota";
  return status === 500 && body.includes("unsupported value: NaN");
}

/** What to do about a failure. */
export function hintOf(status: number, pauseMs: number | undefined): string {
  if (pauseMs) return `; it asks for a pause of ${Math.ceil(pauseMs / 1000)} s`;
  if (status >= 300 && status < 400) {
    return "; redirects are not followed, so configure the address that it leads to";
  }
  if (status === 401) return "; check the key";
  if (status === 404) return "; check the address and the model's name";
  return "";
}

export const lengthHint =
  "; if a text is too long for its model, lower the limit of characters: all texts are then embedded again";

/** Gateways pass the failure of a provider on in an answer of 200. */
export function statusInside(body: string | undefined): number {
  const code = errorOf(body)?.["code"];
  return typeof code === "number" && code >= 400 && code < 600 ? code : 200;
}

// Vectors are not read twice.
const maxErrorCharacters = 10_000;

function errorOf(body = ""): Record<string, unknown> | undefined {
  if (body.length > maxErrorCharacters) return undefined;
  try {
    const answer: unknown = JSON.parse(body);
    return isObject(answer) && isObject(answer["error"]) ? answer["error"] : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The machine-readable kind of the error, or nothing. Its message may repeat the texts, or a part
 * of the key.
 */
export function kindOfError(body: string | undefined): string {
  const error = errorOf(body);
  const kind = textOf(error, "code") ?? textOf(error, "type");
  return kind !== undefined && /^[a-z]+(_[a-z]+)+$/.test(kind) ? kind : "";
}
