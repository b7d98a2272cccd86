import { isJsonObject, type JsonObject, type JsonValue } from "@pond/canonical";
import { jsonSchemaOf } from "@pond/wire";

type ObjectSchema = { readonly type: "object" } & JsonObject;

// Fields that the server sets, or nobody: a tool call must not set them.
const notForTools = ["protocol_version", "namespace", "limit_bytes"];

/** The input of a tool: the fields of a request without the envelope, and the tool's own fields. */
export function inputSchema(request: string, extra: JsonObject): ObjectSchema {
  const { $defs, properties, required, ...schema } = schemaOf(request);
  const wire = isJsonObject(properties) ? Object.entries(properties) : [];
  const names = Array.isArray(required) ? required : [];
  return {
    ...schema,
    type: "object",
    properties: {
      ...Object.fromEntries(wire.filter(([name]) => !notForTools.includes(name))),
      ...extra,
    },
    required: names.filter((name) => !notForTools.includes(String(name))),
    ...($defs !== undefined && { $defs }),
  };
}

/** The output of a tool: a response, and what this transport adds to it. */
export function outputSchema(response: string, extra: JsonObject): ObjectSchema {
  const { properties = {}, required = [], ...schema } = schemaOf(response);
  return {
    ...schema,
    type: "object",
    properties: {
      notice: { type: "string" },
      ...extra,
      ...(isJsonObject(properties) && properties),
    },
    required: ["notice", ...(Array.isArray(required) ? required : [])],
  };
}

/** True for a field that the tool's own schema names. */
export function isFieldOf({ properties }: ObjectSchema, name: string): boolean {
  return isJsonObject(properties) && Object.hasOwn(properties, name);
}

/** A schema in a form that clients with an older JSON Schema than 2020 read the same way. */
export function schemaOf(name: string): JsonObject {
  const { $schema: _, ...schema } = jsonSchemaOf(name);
  return withoutTuples(schema);
}

function withoutTuples(schema: JsonObject): JsonObject {
  const { prefixItems, items: _, ...others } = schema;
  const tuple = Array.isArray(prefixItems)
    ? { items: { anyOf: prefixItems }, maxItems: prefixItems.length, ...others }
    : schema;
  return Object.fromEntries(
    Object.entries(tuple).map(([key, value]: [string, JsonValue]) => [
      key,
      Array.isArray(value)
        ? value.map((each) => (isJsonObject(each) ? withoutTuples(each) : each))
        : isJsonObject(value)
          ? withoutTuples(value)
          : value,
    ]),
  );
}
