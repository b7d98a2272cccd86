import { isJsonObject, type JsonObject, type ProviderOptions } from "@pond/canonical";

/** The facts under one key of an options bag; empty if there are none. */
export function bagOf(options: ProviderOptions, key: string): JsonObject {
  const bag = Object.hasOwn(options, key) ? options[key] : undefined;
  return isJsonObject(bag) ? bag : {};
}
