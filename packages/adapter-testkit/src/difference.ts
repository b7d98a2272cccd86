import { isJsonObject, type JsonValue, jsonEqual, stringifyJson } from "@pond/canonical";

/** Says in words where two values first differ; undefined if they are equal. */
export function firstDifference(expected: JsonValue, actual: JsonValue): string | undefined {
  let [path, left, right]: [string, JsonValue, JsonValue] = ["", expected, actual];
  if (jsonEqual(left, right)) return undefined;
  for (;;) {
    const [mine, other] = [membersOf(left), membersOf(right)];
    if (mine === undefined || other === undefined || Array.isArray(left) !== Array.isArray(right)) {
      const [expected, actual] = shortened(left, right);
      return `${path || "the value"} is ${actual} instead of ${expected}`;
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

/** Two different values in at most 200 characters each, including the place where they differ. */
export function shortened(expected: JsonValue, actual: JsonValue): readonly [string, string] {
  const [left, right] = [stringifyJson(expected), stringifyJson(actual)];
  let same = 0;
  while (same < left.length && left[same] === right[same]) same++;
  const from = same < length / 2 ? 0 : same - length / 4;
  return [cut(left, from), cut(right, from)];
}

function cut(text: string, from: number): string {
  const end = text.length - from > length ? "..." : "";
  return `${from > 0 ? "..." : ""}${text.slice(from, from + length)}${end}`;
}

const length = 200;
