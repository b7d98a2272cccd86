import type { JsonValue } from "./json.ts";

/** Sets an own field of any name. Assigning `__proto__` would change the prototype instead. */
export function setField(
  object: { [key: string]: JsonValue },
  key: string,
  value: JsonValue,
): void {
  if (key === "__proto__") Object.defineProperty(object, key, { value, ...plainField });
  else object[key] = value;
}

const plainField = { writable: true, enumerable: true, configurable: true };
