import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";
import { isRawNumber, numberTextEqual } from "./raw-number.ts";

/**
 * True if both are the same JSON value. The order of keys does not matter. Numbers are compared as
 * decimals: `1` equals `1.0`, and `9007199254740993` differs from `9007199254740992`. Works at any
 * depth.
 */
export function jsonEqual(left: JsonValue, right: JsonValue): boolean {
  const pairs: [JsonValue, JsonValue][] = [[left, right]];
  for (let pair = pairs.pop(); pair; pair = pairs.pop()) {
    const [a, b] = pair;
    if (a === b) continue;
    if (Array.isArray(a)) {
      if (!Array.isArray(b) || a.length !== b.length) return false;
      for (let at = 0; at < a.length; at++) pairs.push([a[at], b[at]]);
    } else if (isJsonObject(a)) {
      if (!isJsonObject(b)) return false;
      const members = pairMembers(a, b);
      if (members === undefined) return false;
      for (const member of members) pairs.push(member);
    } else {
      const [mine, other] = [numberText(a), numberText(b)];
      if (mine === undefined || other === undefined) return false;
      if (!numberTextEqual(mine, other)) return false;
    }
  }
  return true;
}

/** Pairs the values under each key of two objects; undefined if their keys differ. */
function pairMembers(left: JsonObject, right: JsonObject): [JsonValue, JsonValue][] | undefined {
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return undefined;
  const pairs: [JsonValue, JsonValue][] = [];
  for (const key of keys) {
    const [mine, other] = [left[key], Object.hasOwn(right, key) ? right[key] : undefined];
    if (mine === undefined || other === undefined) return undefined;
    pairs.push([mine, other]);
  }
  return pairs;
}

function numberText(value: JsonValue): string | undefined {
  if (typeof value === "number") return String(value);
  return isRawNumber(value) ? value.rawJSON : undefined;
}
