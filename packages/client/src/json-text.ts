import { type JsonValue, stringifyJson } from "@pond/canonical";

/**
 * JSON of exactly this value. A field that is undefined is none; whatever else JSON would leave
 * out or write as something else is refused, because it would be stored like that.
 *
 * @param path - Where the value stands in what is sent.
 * @throws {TypeError} that names the place.
 */
export function toJsonText(value: unknown, path: readonly string[] = []): string {
  // First, because it refuses what holds itself.
  const text = stringifyJson(value as JsonValue);
  refuseChanged(value, path);
  return text;
}

/** The members of a value that are yet to be looked at. */
type Open = { readonly members: readonly (readonly [key: string, value: unknown])[]; next: number };

/** Without calls inside each other: values may be nested deeper than those can be. */
function refuseChanged(root: unknown, path: readonly string[]): void {
  const open: Open[] = [{ members: [["", root]], next: 0 }];
  for (let inner = open.at(-1); inner !== undefined; inner = open.at(-1)) {
    const member = inner.members[inner.next];
    if (member === undefined) {
      open.pop();
      continue;
    }
    inner.next += 1;
    const [, value] = member;
    const changed = changedByJson(value);
    if (changed !== undefined) {
      const keys = open.slice(1).map(({ members, next }) => members[next - 1]?.[0] ?? "");
      throw new TypeError(`${[...path, ...keys].join(".")}: ${changed} cannot be sent as JSON`);
    }
    if (typeof value === "object" && value !== null)
      open.push({ members: membersOf(value), next: 0 });
  }
}

function membersOf(value: object): Open["members"] {
  // Holes of an array too, which are undefined.
  if (Array.isArray(value)) return Array.from(value, (member, at) => [String(at), member] as const);
  return Object.entries(value).filter(([, member]) => member !== undefined);
}

/** What a value is, by name, where JSON has no such thing. Members are not looked at. */
function changedByJson(value: unknown): string | undefined {
  switch (typeof value) {
    case "number":
      return Number.isFinite(value) ? undefined : String(value);
    case "undefined":
    case "function":
    case "symbol":
      return typeof value;
    case "object":
      return isPlain(value) ? undefined : value?.constructor.name;
    default:
      return undefined;
  }
}

/** Also of another realm, such as a frame; a `RawNumber` is an object without a prototype. */
function isPlain(value: object | null): boolean {
  if (value === null || Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
