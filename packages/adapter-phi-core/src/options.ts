import { isJsonObject, type JsonObject, type JsonValue } from "@pond/canonical";

/** What the codec put under `options.source`; empty where it is not there. */
export function sourceOf({ options }: { readonly options: JsonObject }): JsonObject {
  return objectOf(options["source"]);
}

/** The left-over fields of a message or block. */
export function restOf(source: JsonObject): JsonObject {
  return objectOf(source["rest"]);
}

export function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
