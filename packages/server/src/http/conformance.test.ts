import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import type { Lineage, Writer } from "@pond/canonical/adapter";
import {
  ConflictError,
  StorageUnavailableError,
  StoreNotFoundError,
  StoreSchemaError,
} from "@pond/substrate";
import {
  type ErrorBody,
  type ErrorCode,
  errorCodes,
  type IngestResponse,
  type OperationName,
  operations,
  protocolVersion,
  type Responses,
  type SearchResponse,
} from "@pond/wire";
import * as v from "valibot";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHandlers } from "../handlers.ts";
import { schemaOf } from "../mcp/schemas.ts";
import type { Namespaces } from "../namespaces.ts";
import { chat, sessionOf } from "../testing.ts";
import { withServer } from "./testing.ts";
import { askAt, type Reply, type ServedPond, servePond } from "./testing-pond.ts";

const writers = new Map(
  ["claude-code", "codex"].map((origin): [string, Writer] => {
    const write = ({ root: { session } }: Lineage) => [
      { session: session.id, path: "a/b.jsonl", content: ["{}\n"] },
    ];
    return [origin, { origin, writeNative: write, writeForeign: write }];
  }),
);

let served: ServedPond;
beforeAll(async () => {
  served = await servePond({ restorers: { writers } });
  await served.pond.ask("ingest", { events: chat("long", ["The pelican waits.", "For fish."]) });
});
afterAll(() => served.remove());

const names = Object.keys(operations) as OperationName[];
const codes = Object.keys(errorCodes) as ErrorCode[];

/** A request of each operation that is answered. */
const sound: Readonly<Record<OperationName, object>> = {
  search: { query: "pelican" },
  list: {},
  get: { session_id: "long" },
  ingest: { events: [] },
  status: {},
  restore: { session_id: "long" },
};

/** A namespace whose store fails as it is told to. */
function failing(error: Error): Namespaces {
  return { open: () => Promise.reject(error), close: async () => undefined };
}

type Act = (name: OperationName) => Promise<Reply<ErrorBody>>;

const asked =
  (more: object): Act =>
  (name) =>
    served.ask(name, { ...sound[name], ...more });
const broken =
  (error: Error): Act =>
  (name) =>
    withServer({ handlers: createHandlers({ namespaces: failing(error) }) }, ({ url }) =>
      askAt(url, name, sound[name]),
    );

/** How every operation comes to each code. */
const ways: Readonly<Record<ErrorCode, Act>> = {
  validation_failed: asked({ colour: "red" }),
  version_unsupported: asked({ protocol_version: protocolVersion + 1 }),
  not_found: broken(new StoreNotFoundError("/secret")),
  namespace_unknown: asked({ namespace: "other" }),
  storage_unavailable: broken(new StorageUnavailableError("s3://secret", "403 for a secret")),
  conflict: broken(new ConflictError("messages", 5)),
  internal: broken(new TypeError("secret words")),
};

function expectError({ status, headers, body }: Reply<ErrorBody>, code: ErrorCode): void {
  expect({ status, code: body.error.code }).toEqual({ status: errorCodes[code].httpStatus, code });
  expect(v.safeParse(errorsOnly, body).issues).toBeUndefined();
  expect(headers.get("x-pond-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  expect(headers.get("retry-after")).toBe(status === 503 ? "1" : null);
  expect(JSON.stringify(body)).not.toContain("secret");
}

/** Nothing but an error is in the body of one (spec 7.4). */
const errorsOnly = v.strictObject({
  error: v.strictObject({
    code: v.picklist(codes),
    message: v.string(),
    details: v.record(v.string(), v.any()),
  }),
});

describe("an error code", () => {
  const every = names.flatMap((name) => codes.map((code) => [name, code] as const));

  it.each(every)("is answered by the operation %s: %s", async (name, code) => {
    expectError(await ways[code](name), code);
  });

  it.each<[string, ErrorCode, () => Promise<Reply<ErrorBody>>]>([
    ["a field is missing", "validation_failed", () => served.ask("search", {})],
    ["a field has the wrong type", "validation_failed", () => served.ask("search", { query: 1 })],
    [
      "a field is __proto__",
      "validation_failed",
      () => served.askText("search", '{"protocol_version":1,"query":"a","__proto__":{"limit":1}}'),
    ],
    ["a query is blank", "validation_failed", () => served.ask("search", { query: " " })],
    [
      "a time is invalid",
      "validation_failed",
      () => served.ask("search", { query: "a", since: "soon" }),
    ],
    [
      "the client to restore for is unknown",
      "validation_failed",
      () => served.ask("restore", { session_id: "long", to: "nobody" }),
    ],
    ["the body is an array", "validation_failed", () => served.askText("status", "[]")],
    ["the body is null", "validation_failed", () => served.askText("status", "null")],
    ["the version is missing", "validation_failed", () => served.askText("status", "{}")],
    [
      "the version is a string",
      "validation_failed",
      () => served.ask("status", { protocol_version: "1" }),
    ],
    ["no session has the id", "not_found", () => served.ask("get", { session_id: "nobody" })],
    [
      "no message has the id",
      "not_found",
      () => served.ask("get", { session_id: "long", message_id: "m99" }),
    ],
    [
      "the session to restore is not stored",
      "not_found",
      () => served.ask("restore", { session_id: "nobody" }),
    ],
    [
      "the namespace is a path",
      "namespace_unknown",
      () => served.ask("get", { session_id: "long", namespace: "../etc" }),
    ],
    [
      "a later version of pond wrote the store",
      "internal",
      () => broken(new StoreSchemaError("/secret", "messages", "has version 9"))("status"),
    ],
    [
      "the stores are closed",
      "storage_unavailable",
      async () => {
        const closed = await servePond();
        await closed.pond.namespaces.close();
        const reply = await closed.ask("status", {});
        await closed.remove();
        return reply;
      },
    ],
  ])("is answered when %s: %s", async (_, code, act) => {
    expectError(await act(), code);
  });
});

describe("an answer", () => {
  const validator = new AjvJsonSchemaValidator();

  const cases: readonly (readonly [OperationName, object])[] = [
    ...names.map((name) => [name, sound[name]] as const),
    ["list", { project: "/elsewhere/pond" }],
    ["get", { session_id: "long", response_mode: "complete" }],
    ["get", { session_id: "long", response_mode: "verbatim" }],
    ["get", { session_id: "long", message_id: "m1" }],
    ["ingest", { events: [{ kind: "nothing" }, ...chat("a", ["A heron called a waits."])] }],
    ["restore", { session_id: "long", to: "codex" }],
  ];

  it.each(cases)("of %s conforms to its schemas for the request %j", async (name, request) => {
    const { status, headers, body } = await served.ask<Responses[typeof name]>(name, request);
    const published = schemaOf(`${name.charAt(0).toUpperCase()}${name.slice(1)}Response`);

    expect(status).toBe(200);
    expect(headers.get("x-pond-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(body).not.toHaveProperty("error");
    expect(v.safeParse(operations[name].response, body).issues).toBeUndefined();
    expect(validator.getValidator(published)(body).errorMessage).toBeUndefined();
  });

  it("of an error conforms to the published schema, which allows no unknown code", async () => {
    const validate = validator.getValidator(schemaOf("ErrorBody"));
    const { body } = await served.ask("search", {});

    expect(validate(body).valid).toBe(true);
    expect(validate({ error: { ...body.error, code: "teapot" } }).valid).toBe(false);
  });

  it("keeps numbers and keys that JavaScript would change", async () => {
    // The session's own bag gets a field of ours behind these.
    const options =
      '{"big":9007199254740993,"__proto__":{"a":1},"constructor":1e400,"deep":' +
      `${"[".repeat(2_000)}${"]".repeat(2_000)}}`;
    const session = JSON.stringify(sessionOf("exact")).replace(
      '"options":{}',
      `"options":${options}`,
    );
    const ingested = await served.askText<IngestResponse>(
      "ingest",
      `{"protocol_version":1,"events":[${session}]}`,
    );
    const response = await fetch(`${served.url}/v1/get`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ protocol_version: 1, session_id: "exact" }),
    });

    expect(ingested.body).toMatchObject({ accepted: 1, rejected: [] });
    expect(await response.text()).toContain(`"options":${options.slice(0, -1)}`);
  });

  it("to a status request does not tell where the store is", async () => {
    const { body } = await served.ask<Responses["status"]>("status", {});

    expect(body.location).toBe("");
    expect(JSON.stringify(body)).not.toContain(served.pond.folder);
  });
});

it("stores the valid rows of a batch, and reports an invalid one by its place", async () => {
  const good = chat("good", ["A kingfisher dives."]);
  const { status, body } = await served.ask<IngestResponse>("ingest", {
    events: [{ kind: "song" }, ...good, ...chat("other", ["A kingfisher rests."])],
  });
  const again = await served.ask<IngestResponse>("ingest", { events: good });
  const { body: found } = await served.ask<SearchResponse>("search", { query: "kingfisher" });

  expect(status).toBe(200);
  expect(body).toMatchObject({
    events: 7,
    accepted: 6,
    rejected: [{ event: 0, code: "invalid" }],
    sessions: [
      { session_id: "good", status: "new", messages_added: 1 },
      { session_id: "other", status: "new", messages_added: 1 },
    ],
  });
  expect(again.body.sessions).toMatchObject([{ status: "unchanged", messages_added: 0 }]);
  expect(found.sessions.map(({ session_id }) => session_id).toSorted()).toEqual(["good", "other"]);
});
