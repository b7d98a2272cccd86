import { isObject } from "../json-file.ts";
import { toUnitVector } from "../unit-vector.ts";

export type Answer =
  | { readonly ok: true; readonly vectors: Float32Array[] }
  | { readonly ok: false; readonly reason: string };

/**
 * Reads the answer to `count` texts: one vector each, by `index`, scaled to unit length. Anything
 * else is refused as a whole; the reason repeats nothing that the endpoint wrote.
 */
export function readAnswer(body: string, count: number, dimension: number): Answer {
  const refuse = (reason: string): Answer => ({ ok: false, reason });
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    return refuse("the endpoint's answer is not JSON");
  }
  const items = isObject(answer) ? answer["data"] : undefined;
  if (!Array.isArray(items)) return refuse('the endpoint\'s answer has no "data"');
  if (items.length !== count) {
    return refuse(`the endpoint gave ${items.length} vectors for ${count} texts`);
  }
  const vectors: Float32Array[] = new Array(count);
  for (const [position, item] of items.entries()) {
    const index = isObject(item) ? (item["index"] ?? position) : position;
    if (typeof index !== "number" || !Number.isInteger(index) || index < 0 || index >= count) {
      return refuse("the endpoint gave a vector for a text that was not sent");
    }
    if (vectors[index] !== undefined)
      return refuse(`the endpoint gave two vectors for text ${index}`);
    const numbers = numbersOf(isObject(item) ? item["embedding"] : undefined);
    if (numbers === undefined) return refuse(`the endpoint gave no numbers for text ${index}`);
    if (numbers.length !== dimension) {
      return refuse(
        `the endpoint gave ${numbers.length} numbers for text ${index}, not ${dimension}`,
      );
    }
    const vector = toUnitVector(numbers);
    if (vector === undefined) {
      return refuse(`the endpoint gave a vector that is zero or not a number for text ${index}`);
    }
    vectors[index] = vector;
  }
  return { ok: true, vectors };
}

/** An array of numbers, or little-endian floats in base64; undefined for anything else. */
function numbersOf(value: unknown): ArrayLike<number> | undefined {
  if (Array.isArray(value)) {
    return value.every((each) => typeof each === "number") ? value : undefined;
  }
  if (typeof value !== "string") return undefined;
  const bytes = Buffer.from(value, "base64");
  if (bytes.length === 0 || bytes.length % 4 !== 0) return undefined;
  return Float32Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4));
}
