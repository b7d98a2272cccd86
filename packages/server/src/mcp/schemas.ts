import { isJsonObject, type JsonObject, type JsonValue } from "@pond/canonical";
import { jsonSchemaOf } from "@pond/wire";

type ObjectSchema = { readonly type: "object" } & JsonObject;

// Said by the server, or by nobody: a tool call has no business with them.
const notForTools = ["protocol_version", "namespace", "limit_bytes"];

/** What a tool takes: the fields of a request, but for the envelope, and its own. */
export function inputSchema(request: string, own: JsonObject): ObjectSchema {
  const { $defs, properties, required, ...schema } = schemaOf(request);
  const wire = isJsonObject(properties) ? Object.entries(properties) : [];
  const names = Array.isArray(required) ? required : [];
  return {
    ...schema,
    type: "object",
    properties: {
      ...Object.fromEntries(wire.filter(([name]) => !notForTools.includes(name))),
      ...own,
    },
    required: names.filter((name) => !notForTools.includes(String(name))),
    ...($defs !== undefined && { $defs }),
  };
}

/** What a tool answers: a response, and what this transport adds to it. */
export function outputSchema(response: string, own: JsonObject): ObjectSchema {
  const { properties = {}, required = [], ...schema } = schemaOf(response);
  return {
    ...schema,
    type: "object",
    properties: { notice: { type: "string" }, ...own, ...(isJsonObject(properties) && properties) },
    required: ["notice", ...(Array.isArray(required) ? required : [])],
  };
}

/** True for a field that the tool's own schema names. */
export function isFieldOf({ properties }: ObjectSchema, name: string): boolean {
  return isJsonObject(properties) && Object.hasOwn(properties, name);
}

/** A schema that says the same to clients that read JSON Schema as it was before 2020. */
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
