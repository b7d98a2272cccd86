import * as v from "valibot";

/** A number whose text a double cannot carry, as `JSON.rawJSON` makes it: `{ rawJSON: "1e400" }`. */
export type RawNumber = { readonly rawJSON: string };
export type JsonObject = { readonly [key: string]: JsonValue };
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | RawNumber
  | readonly JsonValue[]
  | JsonObject;

// Shallow on purpose: the values come from a parser, and nesting may be 10,000 deep.
export const jsonValueSchema: v.GenericSchema<unknown, JsonValue> = v.custom<JsonValue>(
  (value) => value !== undefined && typeof value !== "bigint" && typeof value !== "function",
  "expected a JSON value",
);
export const jsonObjectSchema: v.GenericSchema<unknown, JsonObject> = v.custom<JsonObject>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "expected a JSON object",
);

// HELPER A writes the rest: parseJson, stringifyJson, jsonEqual, isRawNumber, isJsonObject.
