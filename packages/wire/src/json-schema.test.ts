import { readFileSync, writeFileSync } from "node:fs";
import { isJsonObject, type JsonObject, parseJson } from "@pond/canonical";
import { expect, test } from "vitest";
import { jsonSchemaOf, jsonSchemas } from "./json-schema.ts";
import { openApi } from "./open-api.ts";
import { operations } from "./operations.ts";
import { incompatibilities } from "./testing-compatibility.ts";

const schemaFile = new URL("../schema/v1.json", import.meta.url);
/** As it was at the last release; written anew by a release, and by nothing else. */
const releasedFile = new URL("../schema/v1.released.json", import.meta.url);

function read(file: URL): JsonObject {
  const value = parseJson(readFileSync(file, "utf8"));
  return isJsonObject(value) ? value : {};
}

test("the committed JSON Schema equals that of the code (UPDATE=1 rewrites it)", () => {
  const current = jsonSchemas();
  if (process.env["UPDATE"] === "1")
    writeFileSync(schemaFile, `${JSON.stringify(current, undefined, 2)}\n`);

  expect(read(schemaFile)).toEqual(current);
});

test("the schemas are compatible with those of the last release", () => {
  expect(incompatibilities(read(releasedFile), jsonSchemas())).toEqual([]);
});

test.each(Object.keys(operations))(
  "operation %s has request and response schemas, and a path in the OpenAPI document",
  (name) => {
    const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    const schemas = Object.keys(jsonSchemas()["$defs"] ?? {});

    expect(schemas).toEqual(expect.arrayContaining([`${type}Request`, `${type}Response`]));
    expect(openApi()["paths"]).toHaveProperty([`/v1/${name}`, "post", "operationId"], name);
  },
);

test("every reference in the schemas and in the OpenAPI document resolves", () => {
  const dangling = (document: JsonObject): string[] =>
    [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)]
      .map(([, path = ""]) => path)
      .filter((path) => path.split("/").reduce<unknown>(at, document) === undefined);

  expect(dangling(jsonSchemas())).toEqual([]);
  expect(dangling(openApi())).toEqual([]);
  expect(dangling(jsonSchemaOf("IngestRequest"))).toEqual([]);
});

test("jsonSchemaOf includes only the definitions that a schema refers to, and refuses unknown names", () => {
  const { $defs, ...schema } = jsonSchemaOf("IngestRequest");

  expect(Object.keys($defs ?? {})).toEqual(["IngestEvent", "Session", "Message", "Part"]);
  expect(schema).toMatchObject({ type: "object", additionalProperties: false });
  expect(jsonSchemaOf("StatusRequest")).not.toHaveProperty("$defs");
  expect(() => jsonSchemaOf("constructor")).toThrow(TypeError);
});

function at(value: unknown, key: string): unknown {
  return isJsonObject(value) ? value[key] : undefined;
}
