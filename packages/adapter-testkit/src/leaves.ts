import { isJsonObject, isRawNumber, type JsonValue } from "@pond/canonical";
import type { Leaf } from "./kit.ts";

/** Every value inside that has no members, in no particular order. Nesting may have any depth. */
export function* leavesOf(root: JsonValue): Generator<Leaf> {
  const open: Leaf[] = [{ path: "", value: root }];
  for (let at = open.pop(); at; at = open.pop()) {
    const { path, value } = at;
    if (!Array.isArray(value) && !isJsonObject(value)) {
      yield at;
      continue;
    }
    for (const [key, member] of Object.entries<JsonValue>(value)) {
      open.push({ path: joined(path, key), value: member });
    }
  }
}

/** Equal for equal leaves. */
export function leafKey(value: JsonValue): string {
  if (typeof value === "string") return `"${value}`;
  return isRawNumber(value) ? value.rawJSON : String(value);
}

function joined(path: string, key: string): string {
  if (path === "") return key;
  // Paths of very deeply nested values would take unlimited memory.
  return path.length > 500 ? path : `${path}.${key}`;
}
