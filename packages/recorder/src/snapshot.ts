import { types } from "node:util";
import { type JsonValue, parseJson, stringifyJson } from "@pond/canonical";

/**
 * The value as it is now: an agent goes on with what it handed over. Fields that are undefined or
 * functions are left out, as JSON does.
 *
 * @throws {TypeError} where it is no JSON: a circle, a bigint, a number that is none, a map, nothing
 * at all.
 */
export function snapshot(value: unknown): JsonValue {
  const text = textOf(value);
  if (text === undefined) throw new TypeError(`${typeof value} is not a JSON value`);
  return parseJson(text);
}

function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, checked);
  } catch (error) {
    const isTooDeep = error instanceof RangeError && error.message.includes("call stack");
    if (!isTooDeep) throw error;
    checkDeep(value);
    return stringifyJson(value as JsonValue);
  }
}

/** Sees each value as it is written, after its `toJSON`: what else it holds is nobody's business. */
function checked(this: Readonly<Record<string, unknown>>, key: string, value: unknown): unknown {
  const given = this[key];
  if (types.isDate(given) && Number.isNaN(given.getTime())) refuse("an invalid date");
  if (isLeftOut(value) && Array.isArray(this)) refuse(`${typeof value} in a list`);
  check(value);
  return value;
}

// What they hold is no field of theirs; an object of any other class is its fields.
const holdsNoFields = [
  types.isMap,
  types.isSet,
  types.isNativeError,
  types.isArrayBufferView,
  types.isAnyArrayBuffer,
  types.isRegExp,
  types.isPromise,
  types.isWeakMap,
  types.isWeakSet,
];

/** What JSON would write as null, or as an object without what it holds, nobody said. */
function check(value: unknown): void {
  if (typeof value === "number" && !Number.isFinite(value)) refuse(String(value));
  if (typeof value !== "object" || value === null) return;
  if (holdsNoFields.some((isOne) => isOne(value))) refuse(Object.prototype.toString.call(value));
}

/** Checks a value that is nested too deep for the engine; in one, nothing has a `toJSON`. */
function checkDeep(root: unknown): void {
  const within = new Set<unknown>();
  const open: { readonly value: unknown; readonly rest: unknown[] }[] = [];
  const enter = (value: unknown) => {
    if (isLeftOut(value) || typeof value === "bigint") refuse(typeof value);
    check(value);
    if (typeof value !== "object" || value === null || JSON.isRawJSON(value)) return;
    if ("toJSON" in value && typeof value.toJSON === "function") refuse("a toJSON this deep");
    if (within.has(value)) refuse("a circle");
    within.add(value);
    // What `Object.values` leaves out of a list is a gap.
    open.push({ value, rest: Array.isArray(value) ? [...value] : Object.values(value) });
  };
  enter(root);
  for (let last = open.at(-1); last; last = open.at(-1)) {
    if (last.rest.length > 0) enter(last.rest.pop());
    else {
      within.delete(last.value);
      open.pop();
    }
  }
}

function isLeftOut(value: unknown): boolean {
  return value === undefined || typeof value === "function" || typeof value === "symbol";
}

function refuse(what: string): never {
  throw new TypeError(`${what} is not a JSON value`);
}
