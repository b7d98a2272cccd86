import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";

/** What a codec put under `options.source`; empty if there is nothing. */
export function sourceOf({ options }: { readonly options: JsonObject }): JsonObject {
  return objectAt(options, "source");
}

/** The fields of the record, message or block that no canonical field took. */
export function restOf(source: JsonObject): JsonObject {
  return objectAt(source, "rest");
}

/**
 * The record that a message carries whole, as `carrierEvent` put it there; undefined for other
 * messages.
 */
export function carriedRecord(message: { readonly options: JsonObject }): JsonObject | undefined {
  const { record } = sourceOf(message);
  return isJsonObject(record) ? record : undefined;
}

/** The object at `key`; an empty one if there is another value or none. */
export function objectAt(object: JsonObject, key: string): JsonObject {
  return objectOf(object[key]);
}

/** The value if it is an object; otherwise an empty one. */
export function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
