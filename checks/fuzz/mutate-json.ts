import { isJsonObject, type JsonValue, parseJson, stringifyJson } from "@pond/canonical";
import type { Random } from "../chaos/random.ts";
import { oddKey, oddText } from "./odd-values.ts";

type Path = readonly (string | number)[];
type Change = (value: JsonValue) => JsonValue | undefined;

/** Stands for a text that no JSON writer would write and that is inserted afterwards. */
const mark = "\u0001odd\u0001";
const markedText = JSON.stringify(mark);

/** JSON with one value or key changed; the unchanged text if it is not JSON. */
export function mutateJson(text: string, random: Random): string {
  let root: JsonValue;
  try {
    root = parseJson(text);
  } catch {
    return text;
  }
  const paths = pathsIn(root);
  const path = paths[random.below(paths.length)] ?? [];
  switch (random.below(8)) {
    case 0:
    case 1:
    case 2: {
      const changed = changeAt(root, path, () => mark);
      return stringifyJson(changed).replace(markedText, () => oddText(random));
    }
    case 3: {
      // The value of another place: a duplicate id, or a parent that is its own child.
      const other = paths[random.below(paths.length)] ?? [];
      const value = valueAt(root, other);
      return stringifyJson(changeAt(root, path, () => value ?? null));
    }
    case 4:
      return stringifyJson(changeAt(root, path, () => undefined));
    case 5: {
      const key = oddKey(random);
      const renamed = changeAt(root, path, (value) =>
        isJsonObject(value)
          ? Object.fromEntries(
              Object.entries(value).map(([own, member], at) => [at === 0 ? key : own, member]),
            )
          : value,
      );
      return stringifyJson(renamed);
    }
    case 6: {
      // A duplicate key, or an additional one.
      const key = random.isIn(0.5) ? String(path.at(-1) ?? "type") : oddKey(random);
      const holder = random.isIn(0.5) ? [] : path.slice(0, -1);
      const marked = stringifyJson(
        changeAt(root, holder, (value) => (isJsonObject(value) ? { ...value, [mark]: 0 } : value)),
      );
      return marked.replace(`${markedText}:0`, () => `${JSON.stringify(key)}:${oddText(random)}`);
    }
    default:
      return stringifyJson(changeAt(root, path, (value) => retyped(value)));
  }
}

/** The same value, as another type. */
function retyped(value: JsonValue): JsonValue {
  if (typeof value === "string") return [{ type: "text", text: value }];
  if (typeof value === "number") return String(value);
  if (Array.isArray(value)) return value[0] ?? {};
  return isJsonObject(value) ? [value] : "x";
}

/** The places of values, including the deepest ones; not all places of a large value. */
function pathsIn(root: JsonValue): readonly Path[] {
  const paths: Path[] = [];
  const open: (readonly [Path, JsonValue])[] = [[[], root]];
  for (let next = open.pop(); next !== undefined && paths.length < 400; next = open.pop()) {
    const [path, value] = next;
    paths.push(path);
    if (path.length > 12) continue;
    if (Array.isArray(value)) {
      for (const [at, member] of value.entries()) open.push([[...path, at], member]);
    } else if (isJsonObject(value)) {
      for (const [key, member] of Object.entries(value)) open.push([[...path, key], member]);
    }
  }
  return paths;
}

function valueAt(root: JsonValue, path: Path): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const step of path) value = memberOf(value, step);
  return value;
}

function memberOf(value: JsonValue | undefined, step: string | number): JsonValue | undefined {
  if (Array.isArray(value)) return value[Number(step)];
  return isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

function changeAt(root: JsonValue, path: Path, change: Change): JsonValue {
  const [step, ...rest] = path;
  if (step === undefined) return change(root) ?? {};
  const inner = (member: JsonValue): JsonValue | undefined =>
    rest.length === 0 ? change(member) : changeAt(member, rest, change);
  if (Array.isArray(root)) {
    return root.flatMap((member: JsonValue, at) => {
      if (at !== step) return [member];
      const changed = inner(member);
      return changed === undefined ? [] : [changed];
    });
  }
  if (!isJsonObject(root)) return root;
  return Object.fromEntries(
    Object.entries(root).flatMap(([key, member]) => {
      if (key !== step) return [[key, member] as const];
      const changed = inner(member);
      return changed === undefined ? [] : [[key, changed] as const];
    }),
  );
}
