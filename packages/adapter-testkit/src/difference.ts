import { isJsonObject, type JsonValue, jsonEqual, stringifyJson } from "@pond/canonical";

/** Where two values first differ, in words; undefined where they are equal. */
export function firstDifference(expected: JsonValue, actual: JsonValue): string | undefined {
  let [path, left, right]: [string, JsonValue, JsonValue] = ["", expected, actual];
  if (jsonEqual(left, right)) return undefined;
  for (;;) {
    const [mine, other] = [membersOf(left), membersOf(right)];
    if (mine === undefined || other === undefined || Array.isArray(left) !== Array.isArray(right)) {
      return `${path || "the value"} is ${short(right)} instead of ${short(left)}`;
    }
    const key = [...mine.keys(), ...other.keys()].find((key) => {
      const [a, b] = [mine.get(key), other.get(key)];
      return a === undefined || b === undefined || !jsonEqual(a, b);
    });
    if (key === undefined) return `${path} differs`;
    path = path === "" ? key : `${path}.${key}`;
    const [a, b] = [mine.get(key), other.get(key)];
    if (a === undefined) return `${path} is there and should not be`;
    if (b === undefined) return `${path} is missing`;
    [left, right] = [a, b];
  }
}

function membersOf(value: JsonValue): ReadonlyMap<string, JsonValue> | undefined {
  return Array.isArray(value) || isJsonObject(value) ? new Map(Object.entries(value)) : undefined;
}

function short(value: JsonValue): string {
  const text = stringifyJson(value);
  return text.length > 200 ? `${text.slice(0, 200)}...` : text;
}
