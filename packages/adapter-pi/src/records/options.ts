import type { JsonObject } from "@pond/canonical";
import { isJsonObject } from "@pond/canonical";

/** What the codec put under `options.source`; empty where it is not there. */
export function sourceOf({ options }: { readonly options: JsonObject }): JsonObject {
  return objectAt(options, "source");
}

/** The left-over fields of a record, message or block. */
export function restOf(source: JsonObject): JsonObject {
  return objectAt(source, "rest");
}

/** The object at `key`; an empty one where another value or none is there. */
export function objectAt(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isJsonObject(value) ? value : {};
}
