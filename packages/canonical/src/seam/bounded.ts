import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { fits, measure, members, type Sizes, textBytes } from "./measure.ts";

/**
 * The most bytes that one value may take as JSON text (`adapter-bounded-values`). Storage takes 520
 * MB and a JavaScript string slightly less than 512 Mi characters; this leaves room for both.
 */
export const maxValueBytes: number = 256 * 1024 * 1024;

/** The text, or a marked sentinel with its size if it does not fit. */
export function boundText(text: string, maxBytes: number = maxValueBytes): string {
  // An escape makes at most six bytes of a code unit, so a shorter text needs no counting.
  if (isSurelySmall(text.length, maxBytes)) return text;
  const bytes = textBytes(text) + 2;
  return bytes <= maxBytes ? text : truncatedText(bytes);
}

/**
 * Returns the value if it fits. Otherwise its largest pieces become sentinels, as few and as small
 * as will do; everything around them stays.
 */
export function boundValue(value: JsonValue, maxBytes: number = maxValueBytes): JsonValue {
  return fits(value, maxBytes) ? value : shrink(value, maxBytes, measure(value));
}

/**
 * Returns the object if it fits; otherwise its largest pieces, or the object itself, are replaced.
 */
export function boundObject(object: JsonObject, maxBytes?: number): JsonObject {
  const bounded = boundValue(object, maxBytes);
  return isJsonObject(bounded) ? bounded : object;
}

/** The sentinel for a value of so many bytes. */
export function truncated(bytes: number): JsonObject {
  return { pond_truncated: { bytes } };
}

/** True if no JSON text of so many bytes or code units can become a value past the bound. */
export function isSurelySmall(size: number, maxBytes: number = maxValueBytes): boolean {
  return size * 6 <= maxBytes;
}

/** A container on the way to the piece that is cut last, and its members that are cut whole. */
type Level = {
  readonly container: JsonValue;
  readonly replaced: Map<string, JsonValue>;
  readonly into: string;
};

function shrink(root: JsonValue, maxBytes: number, sizes: Sizes): JsonValue {
  const levels: Level[] = [];
  let value = root;
  for (let excess = sizes.of(root) - maxBytes; ; ) {
    const found = choose(value, excess, sizes);
    if (found === undefined) break;
    levels.push(found.level);
    value = found.member;
    excess = found.excess;
  }
  return levels.reduceRight<JsonValue>(
    (inner, { container, replaced, into }) => replace(container, replaced.set(into, inner)),
    sentinel(value, sizes),
  );
}

/**
 * Chooses the largest members first: those to cut whole, and the one in which to cut the rest of
 * the excess.
 */
function choose(
  container: JsonValue,
  total: number,
  sizes: Sizes,
): { readonly level: Level; readonly member: JsonValue; readonly excess: number } | undefined {
  const gains = members(container)
    .map(([key, member]) => ({ key, member, gain: sizes.of(member) - sentinelBytes }))
    .sort((left, right) => right.gain - left.gain);
  const replaced = new Map<string, JsonValue>();
  let excess = total;
  for (const { key, member, gain } of gains) {
    if (gain <= 0) return undefined;
    if (gain >= excess) return { level: { container, replaced, into: key }, member, excess };
    replaced.set(key, sentinel(member, sizes));
    excess -= gain;
  }
  return undefined;
}

function replace(container: JsonValue, by: ReadonlyMap<string, JsonValue>): JsonValue {
  const entries = members(container).map(([key, member]) => [key, by.get(key) ?? member] as const);
  return Array.isArray(container)
    ? entries.map(([, member]) => member)
    : Object.fromEntries(entries);
}

function sentinel(value: JsonValue, sizes: Sizes): JsonValue {
  const bytes = sizes.of(value);
  return typeof value === "string" ? truncatedText(bytes) : truncated(bytes);
}

function truncatedText(bytes: number): string {
  return `[pond: truncated, ${bytes} bytes]`;
}

// No sentinel is longer than this.
const sentinelBytes = 60;
