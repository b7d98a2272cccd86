import type { Row } from "@pond/substrate";

const firstSurrogate = 0xd800;

/** Compares texts by code point, as the engine does. `<` compares UTF-16, which differs. */
export function compareText(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const [a, b] = [left.charCodeAt(at), right.charCodeAt(at)];
    if (a !== b) return rank(a) - rank(b);
  }
  return left.length - right.length;
}

/** Halves of characters beyond U+FFFF come after all characters up to it. */
function rank(unit: number): number {
  if (unit < firstSurrogate) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

export type Key = readonly string[];

export function keyOf(row: Row, primaryKey: readonly string[]): Key {
  return primaryKey.map((column) => String(row[column]));
}

export function compareKeys(left: Key, right: Key): number {
  for (const [at, text] of left.entries()) {
    const order = compareText(text, right[at] ?? "");
    if (order !== 0) return order;
  }
  return 0;
}

/** A text for a key; no two keys have the same. */
export function keyText(key: Key): string {
  return key.map((text) => `${text.length}:${text}`).join("");
}
