import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { isRawNumber } from "../raw-number.ts";

/**
 * True if the value takes at most `maxBytes` as JSON text. Ordinary values are not measured
 * exactly.
 */
export function fits(value: JsonValue, maxBytes: number): boolean {
  return maxEncodedBytes(value) <= maxBytes || encodedBytes(value) <= maxBytes;
}

/** Bytes of a text inside a JSON string: UTF-8, with escapes, without the quotes. */
export function textBytes(text: string): number {
  let bytes = 0;
  for (let from = 0, to = 0; from < text.length; from = to) {
    to = Math.min(from + sliceLength, text.length);
    // Counted apart, the halves of a pair would be two escapes.
    if (to < text.length && isHighSurrogate(text.charCodeAt(to - 1))) to++;
    bytes += Buffer.byteLength(JSON.stringify(text.slice(from, to))) - 2;
  }
  return bytes;
}

/** Bytes of the value as JSON text. The text is never built. */
export function encodedBytes(root: JsonValue): number {
  return measure(root).of(root);
}

/** The bytes that each container and scalar of one value takes as JSON text. */
export type Sizes = { readonly of: (value: JsonValue) => number };

/** Measures a value once, containers from the inside out. */
export function measure(root: JsonValue): Sizes {
  const known = new Map<JsonValue, number>();
  const of = (value: JsonValue): number => known.get(value) ?? scalarBytes(value);
  const open: JsonValue[] = [root];
  const containers: JsonValue[] = [];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (!isContainer(value)) continue;
    containers.push(value);
    for (const [, member] of members(value)) open.push(member);
  }
  // Every container comes before its members.
  for (const container of containers.reverse()) {
    let bytes = 1;
    for (const [key, member] of members(container)) {
      bytes += of(member) + 1 + (Array.isArray(container) ? 0 : textBytes(key) + 3);
    }
    known.set(container, Math.max(bytes, 2));
  }
  return { of };
}

/** The members of a container with their keys; none for a scalar. */
export function members(value: JsonValue): readonly (readonly [string, JsonValue])[] {
  return isContainer(value) ? Object.entries(value) : [];
}

function isContainer(value: JsonValue): value is JsonObject | readonly JsonValue[] {
  return Array.isArray(value) || isJsonObject(value);
}

function scalarBytes(value: JsonValue): number {
  if (typeof value === "string") return textBytes(value) + 2;
  return isRawNumber(value) ? value.rawJSON.length : JSON.stringify(value).length;
}

/** An upper bound that needs no encoding: an escape takes six bytes, a number at most 25. */
function maxEncodedBytes(root: JsonValue): number {
  const open: JsonValue[] = [root];
  let bytes = 0;
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === "string") bytes += value.length * 6 + 3;
    else if (typeof value !== "object" || value === null) bytes += 26;
    else if (isRawNumber(value)) bytes += value.rawJSON.length + 1;
    else if (Array.isArray(value)) {
      bytes += 3;
      for (const member of value) open.push(member);
    } else if (isJsonObject(value)) bytes += 3 + openObject(value, open);
  }
  return bytes;
}

/** Opens the members and returns a bound for the keys. */
function openObject(object: JsonObject, open: JsonValue[]): number {
  let bytes = 0;
  for (const key of Object.keys(object)) {
    bytes += key.length * 6 + 3;
    const member = object[key];
    if (member !== undefined) open.push(member);
  }
  return bytes;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

const sliceLength = 1 << 20;
