import { type JsonValue, parseJson } from "@pond/canonical";
import { refused } from "./refusals.ts";

const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** How much a body may hold besides its bytes. */
export type ShapeLimits = {
  readonly maxDepth: number;
  /** Arrays and objects, of whatever size. */
  readonly maxObjects: number;
};

/**
 * Parses a body. Numbers keep their text, and `__proto__` is a field (`parseJson`).
 *
 * @throws {WireError} `validation_failed`; its message never holds a piece of the body.
 */
export function parseBody(bytes: Buffer, limits: ShapeLimits): JsonValue {
  checkShape(bytes, limits);
  const text = decode(bytes);
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw refused("body_not_json", "the body is not JSON");
    throw error;
  }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw refused("body_not_utf8", "the body is not UTF-8");
  }
}

/** Checked before anything is built. */
function checkShape(bytes: Buffer, { maxDepth, maxObjects }: ShapeLimits): void {
  let depth = 0;
  let objects = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) at = endOfString(bytes, at);
    else if (byte === openBracket || byte === openBrace) {
      depth += 1;
      objects += 1;
      if (depth > maxDepth) {
        const message = `the body is nested deeper than ${maxDepth}`;
        throw refused("body_too_deep", message, { limit: maxDepth });
      }
      if (objects > maxObjects) {
        const message = `the body has more than ${maxObjects} arrays and objects`;
        throw refused("body_too_many_objects", message, { limit: maxObjects });
      }
    } else if (byte === closeBracket || byte === closeBrace) depth -= 1;
  }
}

/** The position of the closing quote of the string that begins at `start`. */
function endOfString(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(quote, start + 1); at >= 0; at = bytes.indexOf(quote, at + 1)) {
    let before = at;
    while (bytes[before - 1] === backslash) before -= 1;
    if ((at - before) % 2 === 0) return at;
  }
  return bytes.length;
}
