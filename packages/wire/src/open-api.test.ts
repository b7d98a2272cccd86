import { isJsonObject, type JsonObject, type JsonValue } from "@pond/canonical";
import { describe, expect, test } from "vitest";
import { errorCodes } from "./errors.ts";
import { openApi } from "./open-api.ts";
import { operations } from "./operations.ts";

const document = openApi();

function objectAt(value: JsonValue | undefined, ...path: string[]): JsonObject {
  const [first, ...rest] = path;
  const object = isJsonObject(value) ? value : {};
  return first === undefined ? object : objectAt(object[first], ...rest);
}

/** Every operation of the document: its path, its method, and what is said of it. */
const described = Object.entries(objectAt(document, "paths")).flatMap(([path, methods]) =>
  Object.entries(objectAt(methods)).map(([method, operation]) => ({
    path,
    method,
    operation: objectAt(operation),
  })),
);

/** Every reference below a value. */
function referencesOf(value: JsonValue | undefined): string[] {
  if (typeof value !== "object" || value === null) return [];
  const own = isJsonObject(value) && typeof value["$ref"] === "string" ? [value["$ref"]] : [];
  const below = Object.values(value) as JsonValue[];
  return [...own, ...below.flatMap(referencesOf)];
}

test("is an OpenAPI 3.1 document with title, version, paths and components", () => {
  expect(document).toMatchObject({
    openapi: expect.stringMatching(/^3\.1\.\d+$/),
    info: { title: expect.any(String), version: expect.any(String) },
  });
  expect(Object.keys(document).toSorted()).toEqual(["components", "info", "openapi", "paths"]);
});

test("every reference names a schema, and every schema is referred to", () => {
  const schemas = Object.keys(objectAt(document, "components", "schemas"));
  const referred = referencesOf(document).map((each) => each.replace("#/components/schemas/", ""));

  expect([...new Set(referred)].toSorted()).toEqual(schemas.toSorted());
});

test("operationIds are unique and cover every operation", () => {
  const names = described.map(({ operation }) => operation["operationId"]);

  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(expect.arrayContaining(Object.keys(operations)));
});

describe.each(described)("$method $path", ({ path, method, operation }) => {
  const responses = objectAt(operation, "responses");

  test("describes each response with its schema and its headers", () => {
    expect(path).toMatch(/^\/[a-z0-9/.]+$/);
    expect(operation["summary"]).toEqual(expect.any(String));
    for (const [status, response] of Object.entries(responses)) {
      expect(objectAt(response)["description"]).toMatch(/./);
      expect(objectAt(response, "headers")).toHaveProperty("X-Pond-Request-Id");
      expect("Retry-After" in objectAt(response, "headers")).toBe(status === "503");
      const schema = objectAt(response, "content", "application/json", "schema");
      if (status !== "200") expect(schema).toEqual({ $ref: "#/components/schemas/ErrorBody" });
      else expect(Object.keys(schema)).toHaveLength(1);
    }
  });

  test.runIf(method === "post")("lists every error code under its HTTP status", () => {
    for (const [code, { httpStatus }] of Object.entries(errorCodes)) {
      const { description } = objectAt(responses, String(httpStatus));
      expect(String(description).split(" or ")).toContain(code);
    }
    const statuses = Object.values(errorCodes).map(({ httpStatus }) => String(httpStatus));
    expect(Object.keys(responses).toSorted()).toEqual(
      [...new Set(["200", ...statuses])].toSorted(),
    );
  });

  test.runIf(method === "post")("has a request and a response schema of its own", () => {
    const type = String(operation["operationId"]).replace(/^./, (first) => first.toUpperCase());
    const content = { "application/json": { schema: expect.any(Object) } };

    expect(operation["requestBody"]).toMatchObject({ required: true, content });
    expect(referencesOf(operation["requestBody"])).toEqual([`#/components/schemas/${type}Request`]);
    expect(referencesOf(objectAt(responses, "200"))).toEqual([
      `#/components/schemas/${type}Response`,
    ]);
  });
});
