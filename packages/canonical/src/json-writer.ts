import type { JsonObject, JsonValue } from "./json.ts";
import { isRawNumber } from "./raw-number.ts";

type Frame =
  | { readonly array: readonly JsonValue[]; next: number }
  | { readonly object: JsonObject; readonly keys: readonly string[]; next: number };

/** Does what `JSON.stringify` does, for values nested deeper than its call stack allows. */
export function stringifyDeep(root: JsonValue): string {
  const text: string[] = [];
  const stack: Frame[] = [];
  let value: JsonValue | undefined = root;

  for (;;) {
    if (value !== undefined) {
      const opened = open(value);
      if (opened) stack.push(opened);
      text.push(opened ? ("array" in opened ? "[" : "{") : JSON.stringify(value));
    }
    const frame = stack.at(-1);
    if (frame === undefined) return text.join("");
    value = step(frame, text);
    if (value === undefined) stack.pop();
  }
}

function open(value: JsonValue): Frame | undefined {
  if (typeof value !== "object" || value === null || isRawNumber(value)) return undefined;
  if (Array.isArray(value)) return { array: value, next: 0 };
  const object = value as JsonObject;
  return { object, keys: Object.keys(object), next: 0 };
}

/** Writes the text before the next member and returns that member, or closes the container. */
function step(frame: Frame, text: string[]): JsonValue | undefined {
  const separator = frame.next === 0 ? "" : ",";
  const at = frame.next++;
  if ("array" in frame) {
    const value = frame.array[at];
    text.push(value === undefined ? "]" : separator);
    return value;
  }
  const key = frame.keys[at];
  if (key === undefined) {
    text.push("}");
    return undefined;
  }
  text.push(`${separator}${JSON.stringify(key)}:`);
  return frame.object[key];
}
