import { isJsonObject, type JsonValue } from "@pond/canonical";

/** Returns what is wrong with a value, one sentence each; `path` names the value. */
export type Check = (value: JsonValue | undefined, path: string) => readonly string[];

const typeCheck =
  (name: string, holds: (value: JsonValue) => boolean): Check =>
  (value, path) =>
    value !== undefined && holds(value) ? [] : [`${path} is not ${name}`];

export const text: Check = typeCheck("a string", (value) => typeof value === "string");
export const number: Check = typeCheck("a number", (value) => typeof value === "number");
export const flag: Check = typeCheck("true or false", (value) => typeof value === "boolean");
export const anything: Check = typeCheck("there", () => true);
export const record: Check = typeCheck("an object", isJsonObject);
/** Milliseconds since the epoch. */
export const time: Check = typeCheck("a time in whole milliseconds", (value) => {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
});

/** An id of the client's form. */
export function id(prefix: string): Check {
  return typeCheck(`an id that begins with ${prefix}`, (value) => {
    return typeof value === "string" && value.startsWith(prefix);
  });
}

/** One of these texts. */
export function oneOf(...texts: readonly string[]): Check {
  return typeCheck(`one of ${texts.join(", ")}`, (value) => texts.some((text) => text === value));
}

export function optional(check: Check): Check {
  return (value, path) => (value === undefined ? [] : check(value, path));
}

export function list(check: Check): Check {
  return (value, path) => {
    if (!Array.isArray(value)) return [`${path} is not a list`];
    return value.flatMap((item, index) => check(item, `${path}[${index}]`));
  };
}

/** An object with at least these fields; the client ignores others. */
export function object(fields: Readonly<Record<string, Check>>): Check {
  return (value, path) => {
    if (!isJsonObject(value)) return [`${path} is not an object`];
    return Object.entries(fields).flatMap(([key, check]) => {
      return check(Object.hasOwn(value, key) ? value[key] : undefined, `${path}.${key}`);
    });
  };
}

/** An object whose field `tag` decides which fields it has. */
export function variant(tag: string, variants: Readonly<Record<string, Check>>): Check {
  return (value, path) => {
    const name = isJsonObject(value) ? value[tag] : undefined;
    const check =
      typeof name === "string" && Object.hasOwn(variants, name) ? variants[name] : undefined;
    return check ? check(value, path) : [`${path}.${tag} is none that the client knows`];
  };
}
