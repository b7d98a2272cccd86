import type { JsonObject, JsonValue } from "@pond/canonical";

/** A record with fields that it lacked, and their names. */
export type WithAdded = { readonly record: JsonObject; readonly added: readonly string[] };

/** Adds those of the fields that the record lacks and that have a value. */
export function addMissing(
  record: JsonObject,
  fields: Readonly<Record<string, JsonValue | undefined>>,
): WithAdded {
  const missing = Object.entries(fields).flatMap(([key, value]): [string, JsonValue][] => {
    return value === undefined || Object.hasOwn(record, key) ? [] : [[key, value]];
  });
  const added = missing.map(([key]) => key);
  return { record: { ...record, ...Object.fromEntries(missing) }, added };
}

/** The record before the fields were added. */
export function withoutAdded(record: JsonObject, added: JsonValue | undefined): JsonObject {
  if (!Array.isArray(added)) return record;
  return Object.fromEntries(Object.entries(record).filter(([key]) => !added.includes(key)));
}
