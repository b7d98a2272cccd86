import { ConflictError } from "@pond/substrate";
import {
  type ErrorBody,
  type ErrorCode,
  errorCodes,
  type GetResponse,
  type IngestResponse,
  type MessageView,
  operations,
  type Responses,
  type SearchResponse,
  type SessionPage,
} from "@pond/wire";
import * as v from "valibot";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHandlers } from "../handlers.ts";
import type { Namespaces } from "../namespaces.ts";
import { chat, header, sessionOf, type TestPond, testPond, textPart } from "../testing.ts";
import { createHttpServer, type HttpServer } from "./server.ts";
import { withServer } from "./testing.ts";

// A real store behind a real socket: what is asked here is asked as any client would.
const maxEvents = 50;
const limits = { maxBodyBytes: 4_000, maxIngestBytes: 64_000 };
const texts = Array.from(
  { length: 12 },
  (_, at) => `Turn ${at}: the pelican counts ${"fish ".repeat(at * 5)}`,
);

let pond: TestPond;
let server: HttpServer;
let url = "";

beforeAll(async () => {
  pond = testPond({ limits: { maxEvents, maxReplyBytes: 100_000 } });
  server = createHttpServer({ handlers: pond.handlers, port: 0, limits });
  ({ url } = await server.listen());
  await pond.ask("ingest", { events: chat("long", texts) });
  await pond.ask("ingest", {
    events: [
      sessionOf("parts"),
      header("parts", 0),
      ...Array.from({ length: 9 }, (_, at) => textPart("parts", 0, "x".repeat(at * 90), `p${at}`)),
    ],
  });
  for (const name of ["a", "b", "c", "d", "e"]) {
    await pond.ask("ingest", { events: chat(name, [`A heron called ${name} waits.`]) });
  }
});

afterAll(async () => {
  await server.stop();
  await pond.remove();
});

type Reply<Body> = { readonly status: number; readonly body: Body };

async function ask<Body = ErrorBody>(
  operation: keyof Responses,
  request: object,
  at: string = url,
): Promise<Reply<Body>> {
  const body = JSON.stringify({ protocol_version: 1, ...request });
  return askText<Body>(operation, body, at);
}

async function askText<Body = ErrorBody>(
  operation: keyof Responses,
  body: string,
  at: string = url,
): Promise<Reply<Body>> {
  const { path } = operations[operation];
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${at}${path}`, { method: "POST", headers, body });
  return { status: response.status, body: (await response.json()) as Body };
}

/** A namespace whose store fails as it is told to. */
function failing(error: Error): Namespaces {
  return { open: () => Promise.reject(error), close: async () => undefined };
}

describe("a code", () => {
  const get = (request: object) => () => ask("get", request);
  const broken = (error: Error) => () =>
    withServer({ handlers: createHandlers({ namespaces: failing(error) }) }, (running) =>
      ask("status", {}, running.url),
    );
  const cases: readonly (readonly [string, ErrorCode, () => Promise<Reply<ErrorBody>>])[] = [
    ["a field is missing", "validation_failed", () => ask("search", {})],
    ["a field has another type", "validation_failed", () => ask("search", { query: 1 })],
    ["a field is unknown", "validation_failed", () => ask("search", { query: "a", colour: "red" })],
    [
      "a field is __proto__",
      "validation_failed",
      () => askText("search", '{"protocol_version":1,"query":"a","__proto__":{"limit":1}}'),
    ],
    ["a query asks for nothing", "validation_failed", () => ask("search", { query: "   " })],
    ["a time is none", "validation_failed", () => ask("search", { query: "a", since: "soon" })],
    ["the cursor is none", "validation_failed", () => ask("search", { query: "a", after: "zzz" })],
    [
      "nothing restores for it",
      "validation_failed",
      () => ask("restore", { session_id: "long", to: "nobody" }),
    ],
    ["the body is no object", "validation_failed", () => askText("status", "[]")],
    ["the body is null", "validation_failed", () => askText("status", "null")],
    ["there is no version", "validation_failed", () => askText("status", "{}")],
    ["the version is text", "validation_failed", () => ask("status", { protocol_version: "1" })],
    ["the version is 2", "version_unsupported", () => ask("status", { protocol_version: 2 })],
    ["no session has the id", "not_found", get({ session_id: "nobody" })],
    ["no message has the id", "not_found", get({ session_id: "long", message_id: "m99" })],
    ["no page ends there", "not_found", get({ session_id: "long", after_id: "m99" })],
    [
      "no part ends there",
      "not_found",
      get({ session_id: "parts", message_id: "m0", after_id: "q" }),
    ],
    ["no session can be restored", "not_found", () => ask("restore", { session_id: "nobody" })],
    ["the namespace is unknown", "namespace_unknown", get({ session_id: "a", namespace: "other" })],
    ["the namespace is a path", "namespace_unknown", get({ session_id: "a", namespace: "../etc" })],
    ["a commit lost every race", "conflict", broken(new ConflictError("messages", 5))],
    ["nobody foresaw it", "internal", broken(new Error("secret words"))],
    [
      "the stores are closed",
      "storage_unavailable",
      async () => {
        const closed = testPond();
        await closed.remove();
        return withServer({ handlers: closed.handlers }, (running) =>
          ask("status", {}, running.url),
        );
      },
    ],
  ];

  it.each(cases)("where %s: %s", async (_, code, act) => {
    const { status, body } = await act();

    expect({ status, code: body.error.code }).toEqual({
      status: errorCodes[code].httpStatus,
      code,
    });
    expect(Object.keys(body)).toEqual(["error"]);
    expect(Object.keys(body.error)).toEqual(["code", "message", "details"]);
    expect(JSON.stringify(body)).not.toContain("secret words");
  });

  it("of every kind is among them", () => {
    expect(new Set(cases.map(([, code]) => code))).toEqual(new Set(Object.keys(errorCodes)));
  });
});

describe("an answer", () => {
  it.each<[keyof Responses, object]>([
    ["search", { query: "pelican" }],
    ["get", { session_id: "long" }],
    ["get", { session_id: "long", response_mode: "verbatim" }],
    ["get", { session_id: "long", message_id: "m3" }],
    ["ingest", { events: [] }],
    ["ingest", { events: [{ kind: "nothing" }, ...chat("a", ["A heron called a waits."])] }],
    ["status", {}],
  ])("of %s is what its schema says: %j", async (operation, request) => {
    const { status, body } = await ask<unknown>(operation, request);

    expect(status).toBe(200);
    expect(v.safeParse(operations[operation].response, body).issues).toBeUndefined();
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
    const ingested = await askText<IngestResponse>(
      "ingest",
      `{"protocol_version":1,"events":[${session}]}`,
    );
    const response = await fetch(`${url}/v1/get`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ protocol_version: 1, session_id: "exact" }),
    });

    expect(ingested.body).toMatchObject({ accepted: 1, rejected: [] });
    expect(await response.text()).toContain(`"options":${options.slice(0, -1)}`);
  });
});

describe("a cap", () => {
  const padded = (text: string, bytes: number): string => text.padEnd(bytes, " ");
  const status = '{"protocol_version":1}';
  const empty = '{"protocol_version":1,"events":[]}';
  const events = (count: number): object => ({
    events: chat(
      "capped",
      Array.from({ length: count }, () => "a"),
    ).slice(0, count),
  });
  const nested = (depth: number): string =>
    `{"protocol_version":1,"query":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;

  it.each<[string, () => Promise<Reply<ErrorBody>>, () => Promise<Reply<ErrorBody>>, RegExp]>([
    [
      "the bytes of a body",
      () => askText("status", padded(status, limits.maxBodyBytes)),
      () => askText("status", padded(status, limits.maxBodyBytes + 1)),
      /larger than 4000 bytes/,
    ],
    [
      "the bytes of an ingest",
      () => askText("ingest", padded(empty, limits.maxIngestBytes)),
      () => askText("ingest", padded(empty, limits.maxIngestBytes + 1)),
      /larger than 64000 bytes/,
    ],
    [
      "the events of an ingest",
      () => ask("ingest", events(maxEvents)),
      () => ask("ingest", events(maxEvents + 1)),
      /51 are more than the 50/,
    ],
    [
      "the sessions of an answer",
      () => ask("search", { query: "heron", limit: 100 }),
      () => ask("search", { query: "heron", limit: 101 }),
      /limit/,
    ],
    [
      "the least of them",
      () => ask("search", { query: "heron", limit: 1 }),
      () => ask("search", { query: "heron", limit: 0 }),
      /limit/,
    ],
    [
      "the neighbours of a message",
      () => ask("get", { session_id: "long", message_id: "m5", context_depth: 50 }),
      () => ask("get", { session_id: "long", message_id: "m5", context_depth: 51 }),
      /context_depth/,
    ],
    [
      "the bytes of a page",
      () => ask("get", { session_id: "long", limit_bytes: 100_000 }),
      () => ask("get", { session_id: "long", limit_bytes: 100_001 }),
      /limit_bytes/,
    ],
  ])("on %s is where it is said to be", async (_, within, beyond, message) => {
    const { status: allowed } = await within();
    const { status: refused, body } = await beyond();

    expect([allowed, refused]).toEqual([200, 400]);
    expect(body.error).toMatchObject({
      code: "validation_failed",
      message: expect.stringMatching(message),
    });
  });

  it("on depth is where it is said to be", async () => {
    const [within, beyond] = [
      await askText("search", nested(32)),
      await askText("search", nested(33)),
    ];

    expect(within.body.error.details).not.toHaveProperty("kind");
    expect(beyond.body.error.details).toEqual({ kind: "body_too_deep", limit: 32 });
  });
});

describe("pages", () => {
  it.each([
    ["conversational", 1],
    ["conversational", 700],
    ["complete", 400],
    ["complete", 100_000],
    ["verbatim", 900],
  ])("of a session, %s and %d bytes each, hold every message once", async (mode, limit_bytes) => {
    const request = { session_id: "long", response_mode: mode, limit_bytes };
    const ids: string[] = [];
    let remaining = texts.length;
    let after: object = {};
    while (remaining > 0) {
      const { body } = await ask<SessionPage>("get", { ...request, ...after });
      ids.push(...body.messages.map(({ id }) => id));

      expect(body.messages.length).toBeGreaterThan(0);
      expect(body.messages_remaining).toBe(remaining - body.messages.length);

      remaining = body.messages_remaining;
      after = { after_id: ids.at(-1) };
    }
    const { body: behind } = await ask<SessionPage>("get", { ...request, ...after });

    expect(ids).toEqual(texts.map((_, at) => `m${at}`));
    expect(behind).toMatchObject({ messages: [], messages_remaining: 0 });
  });

  it.each([1, 400, 100_000])(
    "of a message, %d bytes each, hold every part once",
    async (limit_bytes) => {
      const request = { session_id: "parts", message_id: "m0", limit_bytes };
      const ids: string[] = [];
      let remaining = 9;
      let after: object = {};
      while (remaining > 0) {
        const { body } = await ask<MessageView>("get", { ...request, ...after });
        const { content = [] } = body.target;
        ids.push(...(typeof content === "string" ? [] : content.map(({ id }) => id)));

        expect(body.target_parts_remaining).toBe(9 - ids.length);

        remaining = body.target_parts_remaining;
        after = { after_id: ids.at(-1) };
      }

      expect(ids).toEqual(Array.from({ length: 9 }, (_, at) => `p${at}`));
    },
  );

  it.each([1, 2, 5, 100])(
    "of a search, %d sessions each, hold every session once",
    async (limit) => {
      const found: string[] = [];
      let next: string | undefined;
      do {
        const request = { query: "heron", limit, ...(next !== undefined && { after: next }) };
        const { body } = await ask<SearchResponse>("search", request);
        found.push(...body.sessions.map(({ session_id }) => session_id));
        next = body.next;
      } while (next !== undefined);

      expect(found.toSorted()).toEqual(["a", "b", "c", "d", "e"]);
    },
  );

  it("of a message reach as far as its session does", async () => {
    const view = async (message_id: string): Promise<GetResponse> =>
      (await ask<GetResponse>("get", { session_id: "long", message_id, context_depth: 50 })).body;

    expect(await view("m0")).toMatchObject({ before: [], after: { length: 11 } });
    expect(await view("m11")).toMatchObject({ before: { length: 11 }, after: [] });
  });
});

it("stores what it can of a batch and says of each row what became of it", async () => {
  const good = chat("good", ["A kingfisher dives."]);
  const { status, body } = await ask<IngestResponse>("ingest", {
    events: [{ kind: "song" }, ...good, ...chat("other", ["A kingfisher rests."])],
  });
  const again = await ask<IngestResponse>("ingest", { events: good });
  const { body: found } = await ask<SearchResponse>("search", { query: "kingfisher" });

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
