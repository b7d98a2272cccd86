import { isJsonObject, type JsonObject, type JsonValue } from "@pond/canonical";
import * as v from "valibot";

/**
 * A JSON object with any fields. Its values are not checked, because it may be thousands of levels
 * deep.
 */
export const jsonObjectSchema: v.GenericSchema<unknown, JsonObject> = v.pipe(
  v.custom<JsonObject>(isJsonObject, "expected a JSON object"),
  v.metadata({ type: "object" }),
);

/** Any JSON value, whose content is not checked. */
export const jsonValueSchema: v.GenericSchema<unknown, JsonValue> = v.custom<JsonValue>(
  (value) => value !== undefined,
  "expected a JSON value",
);
