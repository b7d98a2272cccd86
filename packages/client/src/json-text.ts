import { type JsonValue, stringifyJson } from "@pond/canonical";

/**
 * Writes JSON of exactly this value. A field that is undefined is left out. Anything else that JSON
 * would leave out or change is refused, because it would be stored in that form.
 *
 * @param path - The place of the value in the request.
 * @throws {TypeError} that names the place.
 */
export function toJsonText(value: unknown, path: readonly string[] = []): string {
  refuseLossy(value, path);
  return stringifyJson(value as JsonValue);
}

/** A value, and which of its members is checked next. */
type Frame = {
  readonly value: unknown;
  readonly members: readonly (readonly [key: string, value: unknown])[];
  next: number;
};

/** Not recursive, because values may be nested deeper than calls can be. */
function refuseLossy(root: unknown, path: readonly string[]): void {
  const stack: Frame[] = [{ value: undefined, members: [["", root]], next: 0 }];
  const ancestors = new Set<unknown>();
  for (let inner = stack.at(-1); inner !== undefined; inner = stack.at(-1)) {
    const member = inner.members[inner.next];
    if (member === undefined) {
      stack.pop();
      ancestors.delete(inner.value);
      continue;
    }
    inner.next += 1;
    const [, value] = member;
    const lossy = ancestors.has(value) ? "a value that holds itself" : nonJsonKind(value);
    if (lossy !== undefined) {
      const keys = stack.slice(1).map(({ members, next }) => members[next - 1]?.[0] ?? "");
      throw new TypeError(`${[...path, ...keys].join(".")}: ${lossy} cannot be sent as JSON`);
    }
    if (typeof value === "object" && value !== null) {
      stack.push({ value, members: membersOf(value), next: 0 });
      ancestors.add(value);
    }
  }
}

function membersOf(value: object): Frame["members"] {
  // Includes the holes of an array, which are undefined.
  if (Array.isArray(value)) return Array.from(value, (member, at) => [String(at), member] as const);
  return Object.entries(value).filter(([, member]) => member !== undefined);
}

/** The name of a kind of value that JSON does not have. Members are not checked. */
function nonJsonKind(value: unknown): string | undefined {
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
