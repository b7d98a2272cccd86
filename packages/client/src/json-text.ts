import { type JsonValue, stringifyJson } from "@pond/canonical";

/**
 * Writes JSON of exactly this value. A field that is undefined is left out. Anything else that JSON
 * would leave out or change is refused, because it would be stored in that form.
 *
 * @param path - The place of the value in the request.
 * @throws {TypeError} that names the place.
 */
export function toJsonText(value: unknown, path: readonly string[] = []): string {
  refuseChanged(value, path);
  return stringifyJson(value as JsonValue);
}

/** A value, and which of its members is checked next. */
type Open = {
  readonly value: unknown;
  readonly members: readonly (readonly [key: string, value: unknown])[];
  next: number;
};

/** Not recursive, because values may be nested deeper than calls can be. */
function refuseChanged(root: unknown, path: readonly string[]): void {
  const open: Open[] = [{ value: undefined, members: [["", root]], next: 0 }];
  const around = new Set<unknown>();
  for (let inner = open.at(-1); inner !== undefined; inner = open.at(-1)) {
    const member = inner.members[inner.next];
    if (member === undefined) {
      open.pop();
      around.delete(inner.value);
      continue;
    }
    inner.next += 1;
    const [, value] = member;
    const changed = around.has(value) ? "a value that holds itself" : changedByJson(value);
    if (changed !== undefined) {
      const keys = open.slice(1).map(({ members, next }) => members[next - 1]?.[0] ?? "");
      throw new TypeError(`${[...path, ...keys].join(".")}: ${changed} cannot be sent as JSON`);
    }
    if (typeof value === "object" && value !== null) {
      open.push({ value, members: membersOf(value), next: 0 });
      around.add(value);
    }
  }
}

function membersOf(value: object): Open["members"] {
  // Includes the holes of an array, which are undefined.
  if (Array.isArray(value)) return Array.from(value, (member, at) => [String(at), member] as const);
  return Object.entries(value).filter(([, member]) => member !== undefined);
}

/** The name of a kind of value that JSON does not have. Members are not checked. */
function changedByJson(value: unknown): string | undefined {
  switch (typeof value) {
    case "number":
      return Number.isFinite(value) ? undefined : String(value);
    case "undefined":
    case "function":
    case "symbol":
    case "bigint":
      return typeof value;
    case "object":
      return isPlain(value) ? undefined : value?.constructor.name;
    default:
      return undefined;
  }
}

/** Also true for an object of another realm, such as a frame; a `RawNumber` has no prototype. */
function isPlain(value: object | null): boolean {
  if (value === null || Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
