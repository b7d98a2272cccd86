import {
  fromRfc3339,
  isJsonObject,
  isRawNumber,
  type JsonObject,
  type JsonValue,
} from "@pond/canonical";

/** Takes one problem: its place, and what is wrong there. */
export type Report = (place: string, problem: string) => void;

/** Checks a value as the library decodes it; undefined stands for a missing field. */
export type Shape = (value: JsonValue | undefined, place: string, report: Report) => void;

export const text: Shape = plain("text", (value) => typeof value === "string");
export const flag: Shape = plain("boolean", (value) => typeof value === "boolean");
export const time: Shape = plain(
  "time",
  (value) => typeof value === "string" && fromRfc3339(value) !== undefined,
);
export const number: Shape = plain(
  "number",
  (value) => typeof value === "number" || isRawNumber(value),
);
/** A whole number from 0 to 2^64 - 1. */
export const count: Shape = wholeUpTo(2n ** 64n - 1n);
/** A whole number from 0 to 2^32 - 1. */
export const smallCount: Shape = wholeUpTo(2n ** 32n - 1n);
export const anything: Shape = plain("value", () => true);

/** A value that may be null or missing. */
export function option(shape: Shape): Shape {
  return (value, place, report) => {
    if (value !== undefined && value !== null) shape(value, place, report);
  };
}

/** A value that may be missing but not null. */
export function fallback(shape: Shape): Shape {
  return (value, place, report) => {
    if (value !== undefined) shape(value, place, report);
  };
}

export function list(shape: Shape): Shape {
  const isList = plain("list", Array.isArray);
  return (value, place, report) => {
    if (!Array.isArray(value)) isList(value, place, report);
    else {
      for (const [index, each] of value.entries()) shape(each, `${place}[${index}]`, report);
    }
  };
}

/** An object with these fields; the library ignores others. */
export function object(fields: Readonly<Record<string, Shape>>): Shape {
  const isObject = plain("object", isJsonObject);
  return (value, place, report) => {
    if (!isJsonObject(value)) isObject(value, place, report);
    else {
      for (const [key, shape] of Object.entries(fields)) {
        shape(fieldOf(value, key), place === "" ? key : `${place}.${key}`, report);
      }
    }
  };
}

export function oneOf(...names: readonly string[]): Shape {
  return (value, place, report) => {
    if (value === undefined) report(place, "is missing");
    else if (typeof value !== "string" || !names.includes(value)) report(place, unknown);
  };
}

/** A plain name, or an object whose one field is the name of its content. */
export function variant(
  names: readonly string[],
  contents: Readonly<Record<string, Shape>>,
): Shape {
  return (value, place, report) => {
    if (!isJsonObject(value)) {
      oneOf(...names)(value, place, report);
      return;
    }
    const [[name = "", content] = [], ...others] = Object.entries(value);
    const shape = Object.hasOwn(contents, name) ? contents[name] : undefined;
    if (shape === undefined || others.length > 0) report(place, unknown);
    else shape(content, `${place}.${name}`, report);
  };
}

/** An object of the kind that its field `tag` names. */
export function tagged(tag: string, kinds: Readonly<Record<string, Shape>>): Shape {
  return (value, place, report) => {
    const name = isJsonObject(value) ? fieldOf(value, tag) : undefined;
    const isKnown = typeof name === "string" && Object.hasOwn(kinds, name);
    const shape = isKnown ? kinds[name] : object({ [tag]: oneOf(...Object.keys(kinds)) });
    shape?.(value, place, report);
  };
}

export function fieldOf(value: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

const unknown = "is none that the library knows";

function plain(name: string, isRight: (value: JsonValue) => boolean): Shape {
  return (value, place, report) => {
    if (value === undefined) report(place, "is missing");
    else if (!isRight(value)) report(place, `is no ${name}`);
  };
}

function wholeUpTo(largest: bigint): Shape {
  return plain("whole number", (value) => {
    if (!isRawNumber(value) && typeof value !== "number") return false;
    const digits = isRawNumber(value) ? value.rawJSON : String(value);
    return /^\d+$/.test(digits) && BigInt(digits) <= largest;
  });
}
