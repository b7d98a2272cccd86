import { isJsonObject, type JsonObject, parseJson } from "@pond/canonical";
import { expect, test } from "vitest";
import { jsonSchemas } from "./json-schema.ts";
import { incompatibilities } from "./testing-compatibility.ts";

// biome-ignore lint/suspicious/noExplicitAny: mutants reach into any place of a document.
type Document = any;

/** The schemas with one thing about them changed. */
function mutant(change: (defs: Document) => void): JsonObject {
  const copy: Document = parseJson(JSON.stringify(jsonSchemas()));
  change(copy.$defs);
  const json = parseJson(JSON.stringify(copy));
  return isJsonObject(json) ? json : {};
}

const text = { type: "string" };

/** Undefined takes the key away. */
function set(place: Document, key: string, value: unknown): void {
  place[key] = value;
}

const partOf = (defs: Document, type: string): Document =>
  defs.Part.oneOf.find((branch: Document) => branch.properties.type.const === type);

test("schemas are compatible with themselves", () => {
  expect(incompatibilities(jsonSchemas(), jsonSchemas())).toEqual([]);
});

const growth: [string, (defs: Document) => void][] = [
  ["a new optional request field", (d) => set(d.SearchRequest.properties, "x", text)],
  ["a new optional answer field", (d) => set(d.SearchResponse.properties, "x", text)],
  [
    "a new required answer field",
    (d) => {
      set(d.GetResponse.anyOf[0].properties, "x", text);
      d.GetResponse.anyOf[0].required.push("x");
    },
  ],
  ["a new value that requests may have", (d) => d.SearchRequest.properties.role.enum.push("tool")],
  ["a wider bound in a request", (d) => set(d.SearchRequest.properties.limit, "maximum", 1000)],
  [
    "a bound in a request that is gone",
    (d) => set(d.SearchRequest.properties.limit, "maximum", undefined),
  ],
  ["a request field that became optional", (d) => d.SearchRequest.required.pop()],
  ["a value that answers no longer have", (d) => d.SearchResponse.properties.mode.enum.pop()],
  [
    "a number in an answer that became an integer",
    (d) => set(d.SearchResponse.properties.took_ms, "type", "integer"),
  ],
  ["a changed description", (d) => set(d.SearchRequest.properties.query, "description", "Words.")],
  ["a new operation", (d) => set(d, "AskRequest", { type: "object" })],
];

test.each(growth)("accepts as compatible: %s", (_, change) => {
  expect(incompatibilities(jsonSchemas(), mutant(change))).toEqual([]);
});

const breaks: [string, (defs: Document) => void, string][] = [
  ["an operation that is gone", (d) => set(d, "SearchRequest", undefined), "SearchRequest is gone"],
  [
    "a request field that is gone",
    (d) => set(d.SearchRequest.properties, "agent", undefined),
    "SearchRequest.agent is gone",
  ],
  [
    "a request field of another type",
    (d) => set(d.SearchRequest.properties.limit, "type", "string"),
    "SearchRequest.limit: integer became string",
  ],
  [
    "a request field of a narrower type",
    (d) => set(d.SearchRequest.properties.min_score, "type", "integer"),
    "SearchRequest.min_score: number became integer",
  ],
  [
    "an optional request field that became required",
    (d) => d.SearchRequest.required.push("limit"),
    "SearchRequest.limit became required",
  ],
  [
    "a new required request field",
    (d) => {
      d.GetRequest.properties.x = { type: "string" };
      d.GetRequest.required.push("x");
    },
    "GetRequest.x became required",
  ],
  [
    "a value that requests may no longer have",
    (d) => d.SearchRequest.properties.role.enum.pop(),
    'SearchRequest.role: "assistant" is no longer accepted',
  ],
  [
    "a free text in a request that became an enumeration",
    (d) => set(d.SearchRequest.properties.agent, "enum", ["codex"]),
    "SearchRequest.agent: its values changed",
  ],
  [
    "a narrower bound in a request",
    (d) => set(d.SearchRequest.properties.limit, "maximum", 50),
    "SearchRequest.limit: maximum got narrower",
  ],
  [
    "a new bound in a request",
    (d) => set(d.SearchRequest.properties.query, "maxLength", 10),
    "SearchRequest.query: maxLength got narrower",
  ],
  [
    "a new pattern in a request",
    (d) => set(d.SearchRequest.properties.query, "pattern", "^a"),
    "SearchRequest.query: pattern changed",
  ],
  [
    "another protocol version",
    (d) => set(d.StatusRequest.properties.protocol_version, "const", 2),
    "StatusRequest.protocol_version: 1 is no longer accepted",
  ],
  [
    "an answer field that is gone",
    (d) => set(d.SearchResponse.properties, "next", undefined),
    "SearchResponse.next is gone",
  ],
  [
    "a nested answer field that is gone",
    (d) =>
      void delete d.SearchResponse.properties.sessions.items.properties.matches.items.properties
        .score,
    "SearchResponse.sessions[].matches[].score is gone",
  ],
  [
    "an answer field of another type",
    (d) => set(d.SearchResponse.properties.next, "type", "number"),
    "SearchResponse.next: string became number",
  ],
  [
    "an answer field that became optional",
    (d) => d.SearchResponse.required.splice(d.SearchResponse.required.indexOf("mode"), 1),
    "SearchResponse.mode became optional",
  ],
  [
    "a new value in an answer",
    (d) => d.SearchResponse.properties.mode.enum.push("vector"),
    'SearchResponse.mode: "vector" was never answered before',
  ],
  [
    "a new error code",
    (d) => d.ErrorBody.properties.error.properties.code.enum.push("teapot"),
    'ErrorBody.error.code: "teapot" was never answered before',
  ],
  [
    "a map whose values changed their type",
    (d) => {
      d.StatusResponse.properties.by_agent.additionalProperties.properties.sessions.type = "string";
    },
    "StatusResponse.by_agent.*.sessions: number became string",
  ],
  [
    "a new kind of part in answers",
    (d) => d.Part.oneOf.push({ type: "object", properties: { type: { const: "video" } } }),
    "GetResponse: form 0 of its anyOf changed",
  ],
  [
    "a kind of part that is no longer accepted",
    (d) => d.Part.oneOf.pop(),
    "IngestRequest.events[]: form 2 of its oneOf changed",
  ],
  [
    "a field of a part that became required",
    (d) => partOf(d, "file").required.push("file_name"),
    "IngestRequest.events[]: form 2 of its oneOf changed",
  ],
  [
    "an array whose items changed their type",
    (d) => set(d.SearchResponse.properties.warnings, "items", { type: "string" }),
    "SearchResponse.warnings[]: object became string",
  ],
];

test.each(breaks)("reports as incompatible: %s", (_, change, reason) => {
  expect(incompatibilities(jsonSchemas(), mutant(change))).toContain(reason);
});
