import { isJsonObject, type JsonObject } from "../json.ts";

/** The object at `key`; an empty one where there is none. */
export function objectAt(place: JsonObject, key: string): JsonObject {
  const value = place[key];
  return isJsonObject(value) ? value : {};
}
