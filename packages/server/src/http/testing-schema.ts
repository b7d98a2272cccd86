// Values as the published schemas describe them, for fuzzing.
import { isJsonObject, type JsonObject, type JsonValue } from "@pond/canonical";
import { jsonSchemas } from "@pond/wire";
import fc from "fast-check";

const definitions = jsonSchemas()["$defs"] as JsonObject;

/** What is likely to be there, so that not every question is about nothing. */
const likely: Readonly<Record<string, readonly string[]>> = {
  namespace: ["default"],
  id: ["s0", "s1", "m0", "m1", "p"],
  session: ["s0", "s1"],
  session_id: ["s0", "s1", "s2"],
  parent_session_id: ["s0", "s1"],
  message_id: ["m0", "m1", "m2"],
  after_id: ["m0", "m1", "p"],
  before_id: ["m0", "m1"],
  source_agent: ["claude-code"],
  agent: ["claude-code", "codex"],
  project: ["/work/pond", "/work"],
  query: ["pelican", '"the pelican" -fish', "+", '"', "a".repeat(2_000)],
  since: ["2026-01-01", "2026-01-01T00:00:00Z"],
  until: ["2027-01-01", "9999-12-31T23:59:59.999999Z"],
};

const hostile: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom(
    ...["", "\0", "\ud800", "' OR 1=1 --", "%_\\", "__proto__", "constructor", "../../etc/passwd"],
    ...["x".repeat(5_000), "\u202e", "🧵".repeat(50), "*", "NEAR(a b)", "1e999", "null"],
  ),
);

/** Any JSON value. */
export const junk: fc.Arbitrary<JsonValue> = fc.oneof(
  hostile,
  fc.jsonValue({ depthSize: "small" }) as fc.Arbitrary<JsonValue>,
  fc.constantFrom<JsonValue>(-1, 0, 0.5, 1e300, null, [], {}, [[]], JSON.rawJSON("1e999")),
);

/** A value of one of the definitions; about one field in ten is not what it says. */
export function valueNamed(name: string): fc.Arbitrary<JsonValue> {
  const schema = definitions[name];
  if (!isJsonObject(schema)) throw new TypeError(`no schema is called ${name}`);
  return valueFor(schema, name);
}

function valueFor(schema: JsonObject, field: string): fc.Arbitrary<JsonValue> {
  const { $ref, oneOf, anyOf, enum: values, type } = schema;
  if ("const" in schema) return fc.constant(schema["const"] as JsonValue);
  if (typeof $ref === "string") return valueNamed($ref.slice($ref.lastIndexOf("/") + 1));
  const choices = oneOf ?? anyOf;
  if (Array.isArray(choices)) return fc.oneof(...choices.map((each) => valueFor(each, field)));
  if (Array.isArray(values)) return fc.constantFrom<JsonValue>(...values);
  switch (type) {
    case "object":
      return objectFor(schema);
    case "array":
      return fc.array(valueFor((schema["items"] as JsonObject | undefined) ?? {}, field), {
        maxLength: 8,
      });
    case "string":
      return textFor(schema, field);
    case "integer":
    case "number":
      return fc.integer({ min: -1, max: 200 });
    case "boolean":
      return fc.boolean();
    default:
      return junk;
  }
}

function textFor({ format }: JsonObject, field: string): fc.Arbitrary<JsonValue> {
  if (format === "date-time") {
    return fc.constantFrom("2026-01-01T00:00:00.000Z", "2026-02-30T00:00:00Z", "soon");
  }
  const pool = likely[field] ?? ["pelican", "fish"];
  return fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...pool) }, hostile);
}

function objectFor({ properties = {}, required = [] }: JsonObject): fc.Arbitrary<JsonObject> {
  const names = Object.keys(properties as JsonObject);
  if (names.length === 0) return fc.dictionary(hostile, junk, { maxKeys: 3 });
  const fields = Object.fromEntries(
    names.map((name) => {
      const sound = valueFor((properties as Record<string, JsonObject>)[name] ?? {}, name);
      const value = fc.oneof({ weight: 24, arbitrary: sound }, { weight: 1, arbitrary: junk });
      const share = (required as readonly string[]).includes(name) ? 40 : 2;
      return [name, fc.option(value, { nil: undefined, freq: share })];
    }),
  );
  const rarely = fc.oneof(
    { weight: 20, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.tuple(hostile, junk) },
  );
  return fc.tuple(fc.record(fields), rarely).map(([record, more]) => {
    const entries = Object.entries(record).filter(([, value]) => value !== undefined);
    return Object.fromEntries(more === undefined ? entries : [...entries, more]) as JsonObject;
  });
}
