import { types } from "node:util";
import { type JsonValue, parseJson, stringifyJson } from "@pond/canonical";

/**
 * A copy of the value as it is now, because an agent goes on using what it handed over. Fields that
 * are undefined or functions are left out, as JSON does.
 *
 * @throws {TypeError} if it is not JSON: a circle, a bigint, a number such as NaN, a map, or
 * undefined.
 */
export function snapshot(value: unknown): JsonValue {
  const text = textOf(value);
  if (text === undefined) throw new TypeError(`${typeof value} is not a JSON value`);
  return parseJson(text);
}

function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, checkedValue);
  } catch (error) {
    const isTooDeep = error instanceof RangeError && error.message.includes("call stack");
    if (!isTooDeep) throw error;
    checkDeep(value);
    return stringifyJson(value as JsonValue);
  }
}

/**
 * Checks each value as it is written, after its `toJSON`; what else the object holds does not
 * matter.
 */
function checkedValue(
  this: Readonly<Record<string, unknown>>,
  key: string,
  value: unknown,
): unknown {
  const given = this[key];
  if (types.isDate(given) && Number.isNaN(given.getTime())) refuse("an invalid date");
  if (isLeftOut(value) && Array.isArray(this)) refuse(`${typeof value} in a list`);
  check(value);
  return value;
}

// Objects whose content is not in their fields. An object of any other class is its fields.
const hasHiddenContent = [
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

/** Refuses a value that JSON would write as null, or as an object without its content. */
function check(value: unknown): void {
  if (typeof value === "number" && !Number.isFinite(value)) refuse(String(value));
  if (typeof value !== "object" || value === null) return;
  if (hasHiddenContent.some((isOne) => isOne(value))) refuse(Object.prototype.toString.call(value));
}

/** Checks a value that is nested too deep for the engine. Such a value has no `toJSON` inside. */
function checkDeep(root: unknown): void {
  const ancestors = new Set<unknown>();
  const stack: { readonly value: unknown; readonly rest: unknown[] }[] = [];
  const enter = (value: unknown) => {
    if (isLeftOut(value) || typeof value === "bigint") refuse(typeof value);
    check(value);
    if (typeof value !== "object" || value === null || JSON.isRawJSON(value)) return;
    if ("toJSON" in value && typeof value.toJSON === "function") refuse("a toJSON this deep");
    if (ancestors.has(value)) refuse("a circle");
    ancestors.add(value);
    // `Object.values` leaves out the gaps of a list.
    stack.push({ value, rest: Array.isArray(value) ? [...value] : Object.values(value) });
  };
  enter(root);
  for (let last = stack.at(-1); last; last = stack.at(-1)) {
    if (last.rest.length > 0) enter(last.rest.pop());
    else {
      ancestors.delete(last.value);
      stack.pop();
    }
  }
}

function isLeftOut(value: unknown): boolean {
  return value === undefined || typeof value === "function" || typeof value === "symbol";
}

function refuse(what: string): never {
  throw new TypeError(`${what} is not a JSON value`);
}
