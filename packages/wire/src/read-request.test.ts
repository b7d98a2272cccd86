import { parseJson } from "@pond/canonical";
import { expect, test } from "vitest";
import { WireError } from "./errors.ts";
import type { OperationName } from "./operations.ts";
import { readRequest } from "./read-request.ts";

/** What is said of a request that is refused. */
function refusal(operation: OperationName, request: unknown): WireError {
  try {
    readRequest(operation, request);
  } catch (error) {
    if (error instanceof WireError) return error;
    throw error;
  }
  throw new TypeError("it was taken");
}

const v1 = { protocol_version: 1 };

test.each<[OperationName, object]>([
  ["search", { ...v1, query: "x" }],
  ["search", { ...v1, query: "", namespace: "team", limit: 100, min_score: 0, role: "user" }],
  ["list", v1],
  ["list", { ...v1, parent: "s" }],
  ["list", { ...v1, project: "/p", agent: "codex", since: "2026-01-01", limit: 1, after: "x" }],
  ["get", { ...v1, session_id: "s", response_mode: "verbatim", after_id: "m" }],
  ["get", { ...v1, session_id: "s", from_end: true, before_id: "m" }],
  ["get", { ...v1, session_id: "s", message_id: "m", context_depth: 0 }],
  ["ingest", { ...v1, events: [] }],
  ["ingest", { ...v1, events: [null, { kind: "whatever" }] }],
  ["status", v1],
  ["restore", { ...v1, session_id: "s", to: "codex", at: "first" }],
])("reads the %s request %j", (operation, request) => {
  expect(readRequest(operation, request)).toEqual(request);
});

test.each<[string, OperationName, unknown, string]>([
  ["undefined", "status", undefined, "expected a JSON object"],
  ["null", "status", null, "expected a JSON object"],
  ["an array", "status", [v1], "expected a JSON object"],
  ["a string", "status", "{}", "expected a JSON object"],
  ["no version", "status", {}, "protocol_version: it is missing; this is version 1"],
  [
    "a version that is a string",
    "status",
    { protocol_version: "1" },
    'protocol_version: Invalid type: Expected 1 but received "1"',
  ],
  [
    "version 0",
    "status",
    { protocol_version: 0 },
    "protocol_version: Invalid type: Expected 1 but received 0",
  ],
  [
    "a fractional version",
    "status",
    { protocol_version: 1.5 },
    "protocol_version: Invalid type: Expected 1 but received 1.5",
  ],
  [
    "a namespace that is not a string",
    "status",
    { ...v1, namespace: 7 },
    "namespace: Invalid type: Expected string but received 7",
  ],
  [
    "a misspelled field",
    "search",
    { ...v1, query: "x", agnet: "y" },
    "agnet: there is no such field",
  ],
  [
    "explain, which only the operator may ask for",
    "search",
    { ...v1, query: "x", explain: true },
    "explain: there is no such field",
  ],
  ["no query", "search", v1, "query: it is missing"],
  [
    "null as the query",
    "search",
    { ...v1, query: null },
    "query: Invalid type: Expected string but received null",
  ],
  [
    "a limit of 0",
    "search",
    { ...v1, query: "x", limit: 0 },
    "limit: Invalid value: Expected >=1 but received 0",
  ],
  [
    "a limit of 101",
    "search",
    { ...v1, query: "x", limit: 101 },
    "limit: Invalid value: Expected <=100 but received 101",
  ],
  [
    "a fractional limit",
    "search",
    { ...v1, query: "x", limit: 1.5 },
    "limit: Invalid integer: Received 1.5",
  ],
  [
    "a minimum score with more digits than a double holds",
    "search",
    { ...v1, query: "x", min_score: JSON.rawJSON("0.12345678901234567890") },
    "min_score: 0.12345678901234567890 is more than a double can hold",
  ],
  [
    "NaN as the limit",
    "search",
    { ...v1, query: "x", limit: Number.NaN },
    "limit: Invalid type: Expected number but received NaN",
  ],
  [
    "a negative minimum score",
    "search",
    { ...v1, query: "x", min_score: -1 },
    "min_score: Invalid value: Expected >=0 but received -1",
  ],
  [
    "a role that cannot be searched",
    "search",
    { ...v1, query: "x", role: "tool" },
    'role: Invalid type: Expected ("user" | "assistant") but received "tool"',
  ],
  [
    "an empty id",
    "get",
    { ...v1, session_id: "" },
    "session_id: Invalid length: Expected !0 but received 0",
  ],
  [
    "an id of 4097 characters",
    "get",
    { ...v1, session_id: "x".repeat(4097) },
    "session_id: Invalid length: Expected <=4096 but received 4097",
  ],
  [
    "a context depth of 51",
    "get",
    { ...v1, session_id: "s", message_id: "m", context_depth: 51 },
    "context_depth: Invalid value: Expected <=50 but received 51",
  ],
  [
    "events that are not an array",
    "ingest",
    { ...v1, events: {} },
    "events: Invalid type: Expected Array but received Object",
  ],
])("refuses an invalid request: %s", (_, operation, request, message) => {
  expect(refusal(operation, request)).toMatchObject({ code: "validation_failed", message });
});

test.each([2, 99, Number.MAX_SAFE_INTEGER])(
  "refuses protocol version %i as unsupported",
  (version) => {
    const { code, details } = refusal("search", { protocol_version: version, future: true });

    expect({ code, details }).toEqual({ code: "version_unsupported", details: { supported: [1] } });
  },
);

test.each(["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"])(
  "refuses the field %s as unknown, and sets no prototype from it",
  (name) => {
    const request = parseJson(`{"protocol_version":1,"query":"x","${name}":{"limit":1}}`);

    const { details } = refusal("search", request);

    expect(details).toEqual({ issues: [{ path: name, message: "there is no such field" }] });
    expect({}).not.toHaveProperty("limit");
  },
);

test("keeps an error short and well-formed, however long the request is", () => {
  const long = "\ud800x".repeat(1_000_000);
  const request = { ...v1, query: 1, limit: long, role: long, project: [], [long]: 1 };

  const { message, details } = refusal("search", request);

  expect(JSON.stringify({ message, details }).length).toBeLessThan(2_000);
  expect(details).toMatchObject({
    issues: expect.arrayContaining([
      { path: "query", message: "Invalid type: Expected string but received 1" },
    ]),
  });
  expect(message.isWellFormed()).toBe(true);
});

test("refuses a deeply nested array in a text field without descending into it", () => {
  const depth = 1_000_000;
  const deep = parseJson(`${"[".repeat(depth)}${"]".repeat(depth)}`);

  expect(refusal("search", { ...v1, query: deep }).message).toBe(
    "query: Invalid type: Expected string but received Array",
  );
});
