import { connect } from "node:net";
import type { Writer } from "@pond/canonical/adapter";
import { type ErrorBody, operations } from "@pond/wire";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHandlers } from "../handlers.ts";
import { type HandlerLimits, limitsOf as handlerLimitsOf } from "../limits.ts";
import { chat } from "../testing.ts";
import {
  type HttpLimitOptions,
  type HttpLimits,
  limitsOf as httpLimitsOf,
  type RequestKind,
} from "./limits.ts";
import type { HttpMount } from "./mount.ts";
import { createHttpServer } from "./server.ts";
import {
  type Answer,
  answering,
  post,
  type Running,
  send,
  sendUntilClosed,
  withServer,
} from "./testing.ts";
import { type Reply, type ServedPond, servePond } from "./testing-pond.ts";

// Every bound there is has a case here, at it and beyond it; one without a case fails.

const maxEvents = 50;
const maxReplyBytes = 20_000;
const maxRestoreBytes = 100;

/** A session named by a number is restored as a file of so many bytes. */
const writer: Writer = {
  origin: "claude-code",
  writeNative: ({ root: { session } }) => [
    { session: session.id, path: "a", content: ["x".repeat(Number(session.id))] },
  ],
  writeForeign: () => [],
};

let served: ServedPond;
beforeAll(async () => {
  const restorers = { writers: new Map([[writer.origin, writer]]) };
  served = await servePond({ restorers, limits: { maxEvents, maxReplyBytes, maxRestoreBytes } });
  const events = ["s", "100", "101"].flatMap((id) => chat(id, ["The heron waits.", "For fish."]));
  await served.pond.ask("ingest", { events });
});
afterAll(() => served.remove());

function expectRefusal({ status, body }: Reply<ErrorBody>, details: object): void {
  expect(status).toBe(400);
  expect(body.error).toMatchObject({ code: "validation_failed", details });
}

const handlerCases: Readonly<Record<keyof HandlerLimits, () => Promise<void>>> = {
  async maxEvents() {
    const all = chat("t", new Array<string>(maxEvents).fill("a"));
    const within = await served.ask("ingest", { events: all.slice(0, maxEvents) });
    const beyond = await served.ask("ingest", { events: all.slice(0, maxEvents + 1) });

    expect(within.status).toBe(200);
    expectRefusal(beyond, { field: "events", limit: maxEvents });
  },
  async maxReplyBytes() {
    const within = await served.ask("get", { session_id: "s", limit_bytes: maxReplyBytes });
    const beyond = await served.ask("get", { session_id: "s", limit_bytes: maxReplyBytes + 1 });

    expect(within.status).toBe(200);
    expectRefusal(beyond, { field: "limit_bytes" });
  },
  async maxRestoreBytes() {
    const within = await served.ask("restore", { session_id: `${maxRestoreBytes}` });
    const beyond = await served.ask("restore", { session_id: `${maxRestoreBytes + 1}` });

    expect(within.status).toBe(200);
    expectRefusal(beyond, { field: "session_id", limit: maxRestoreBytes });
  },
};

describe("a limit of the handlers", () => {
  it.each(Object.keys(handlerLimitsOf()))("allows its value and refuses more: %s", async (name) => {
    await handlerCases[name as keyof HandlerLimits]();
  });
});

const spaces = (text: string, bytes: number): string => text.padEnd(bytes, " ");
const search = post("/v1/search", "{}");
const chunked = (path: string, body: string): Buffer =>
  Buffer.concat([
    post(path, "", { "content-length": null, "transfer-encoding": "chunked" }),
    Buffer.from(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`),
  ]);

/** What each of some bodies is answered, whole and in chunks. */
async function statusesOf(limits: HttpLimitOptions, path: string, ...bodies: string[]) {
  return withServer({ limits }, async ({ port }) => {
    const kinds: unknown[] = [];
    for (const body of bodies) {
      const whole = await send(port, post(path, body));
      const inChunks = await send(port, chunked(path, body));
      expect(inChunks.status).toBe(whole.status);
      expect(inChunks.kind).toBe(whole.kind);
      kinds.push(whole.kind ?? whole.status);
    }
    return kinds;
  });
}

/** Handlers that hold what is asked until they are let go. */
function held() {
  const finish = Promise.withResolvers<object>();
  let running = 0;
  const handlers = answering(async () => {
    running += 1;
    return finish.promise;
  });
  return { handlers, finish: () => finish.resolve({}), running: () => running };
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setImmediate(resolve));
}

/** Asks for an answer that no buffer between here and there holds, and never reads it. */
async function besideUnread(
  limits: HttpLimitOptions,
  use: (running: Running, leave: () => void) => Promise<void>,
  path = "/v1/get",
): Promise<void> {
  const text = "x".repeat(32 * 1024 * 1024);
  const asked = Promise.withResolvers<void>();
  const handlers = answering(async (operation) => {
    if (operation !== "get") return {};
    asked.resolve();
    return { text };
  });
  const mount: HttpMount = async (_, response) => {
    asked.resolve();
    response.end(text);
  };
  await withServer({ handlers, limits, mounts: { "/mcp": mount } }, async (running) => {
    const socket = connect(running.port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write(post(path, "{}"));
    await asked.promise;
    await use(running, () => void socket.destroy());
    socket.destroy();
  });
}

const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

const httpCases: Readonly<Record<keyof HttpLimits, () => Promise<void>>> = {
  async maxBodyBytes() {
    for (const path of ["/v1/search", "/v1/list", "/v1/get", "/v1/status", "/v1/restore"]) {
      const bodies = [99, 100, 101].map((bytes) => spaces("{}", bytes));
      const kinds = await statusesOf({ maxBodyBytes: 100 }, path, ...bodies);
      expect(kinds).toEqual([200, 200, "body_too_large"]);
    }
  },
  async maxIngestBytes() {
    const bodies = [100, 199, 200, 201].map((bytes) => spaces("{}", bytes));
    const limits = { maxBodyBytes: 10, maxIngestBytes: 200 };
    expect(await statusesOf(limits, "/v1/ingest", ...bodies)).toEqual([
      ...[200, 200, 200],
      "body_too_large",
    ]);
  },
  async maxHeldBytes() {
    const { handlers, finish, running } = held();
    await withServer({ handlers, limits: { maxHeldBytes: 1_000 } }, async ({ port }) => {
      const first = send(port, post("/v1/search", spaces("{}", 600)));
      await until(() => running() === 1);
      const beyond = await send(port, post("/v1/search", spaces("{}", 401)));
      const exactly = send(port, post("/v1/search", spaces("{}", 400)));
      await until(() => running() === 2);
      finish();
      const statuses = (await Promise.all([first, exactly])).map(({ status }) => status);

      expect(beyond).toMatchObject({ status: 503, kind: "bodies_held" });
      expect(statuses).toEqual([200, 200]);
    });
  },
  async maxUnsentBytes() {
    const limits = { maxUnsentBytes: 1024 * 1024 };
    const refusesMore = async ({ port }: Running, leave: () => void): Promise<void> => {
      let refused: Answer | undefined;
      await until(async () => {
        refused = await send(port, search);
        return refused.status === 503;
      });
      leave();
      await until(async () => (await send(port, search)).status === 200);

      expect(refused).toMatchObject({ code: "storage_unavailable", kind: "answers_held" });
    };
    await besideUnread(limits, refusesMore);
    await besideUnread(limits, refusesMore, "/mcp");
  },
  async maxDepth() {
    const limits = { maxDepth: 5, maxIngestDepth: 500 };
    expect(await statusesOf(limits, "/v1/search", nested(5), nested(6))).toEqual([
      200,
      "body_too_deep",
    ]);
  },
  async maxIngestDepth() {
    const limits = { maxDepth: 1, maxIngestDepth: 5 };
    expect(await statusesOf(limits, "/v1/ingest", nested(5), nested(6))).toEqual([
      200,
      "body_too_deep",
    ]);
  },
  async headersTimeoutMs() {
    const text = await withServer({ limits: { headersTimeoutMs: 100 } }, ({ port }) =>
      sendUntilClosed(port, "POST /v1/search HTTP/1.1\r\nhost: localh"),
    );
    expect(text).toContain('"kind":"headers_too_slow"');
  },
  async bodyTimeoutMs() {
    const limits = { bodyTimeoutMs: 100, lingerMs: 10 };
    const text = await withServer({ limits }, ({ port }) =>
      sendUntilClosed(port, post("/v1/search", "{", { "content-length": "10" })),
    );
    expect(text).toContain('"kind":"body_too_slow"');
  },
  async answerTimeoutMs() {
    const { handlers, finish } = held();
    const answer = await withServer({ handlers, limits: { answerTimeoutMs: 100 } }, ({ port }) =>
      send(port, search).finally(finish),
    );
    expect(answer).toMatchObject({ status: 503, kind: "timeout" });
  },
  async sendTimeoutMs() {
    // A stop waits for every answer: this one is given up, though its client holds on.
    const stopped = ({ server }: Running) => server.stop({ deadlineMs: 3_600_000 });
    await besideUnread({ sendTimeoutMs: 200 }, async (running) => {
      expect(await stopped(running)).toBe(true);
    });
  },
  async idleTimeoutMs() {
    const limits = { idleTimeoutMs: 100, headersTimeoutMs: 60_000 };
    const text = await withServer({ limits }, ({ port }) => sendUntilClosed(port, search));
    expect(text).toMatch(/^HTTP\/1.1 200 /);
  },
  async lingerMs() {
    const limits = { maxBodyBytes: 10, lingerMs: 100, bodyTimeoutMs: 60_000 };
    const text = await withServer({ limits }, ({ port }) =>
      sendUntilClosed(port, post("/v1/search", "{", { "content-length": "1000" })),
    );
    expect(text).toContain('"kind":"body_too_large"');
  },
  async maxConnections() {
    const health = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";
    await withServer({ limits: { maxConnections: 2 } }, async ({ port }) => {
      const asked = Promise.withResolvers<void>();
      const [first, second] = [1, 2].map(() => sendUntilClosed(port, health, asked.promise, "x"));
      await until(async () => (await sendUntilClosed(port, health, Promise.resolve(), "x")) === "");
      asked.resolve();

      expect(await first).toMatch(/^HTTP\/1.1 200 /);
      expect(await second).toMatch(/^HTTP\/1.1 200 /);
    });
  },
  async maxPerClient() {
    const { handlers, finish, running } = held();
    await withServer({ handlers, limits: { maxPerClient: 2 } }, async ({ port }) => {
      const within = [send(port, search), send(port, post("/v1/get", "{}"))];
      await until(() => running() === 2);
      const beyond = await send(port, search);
      finish();
      const statuses = (await Promise.all(within)).map(({ status }) => status);

      expect(statuses).toEqual([200, 200]);
      expect(beyond).toMatchObject({ status: 503, kind: "client_busy" });
    });
  },
  async concurrency() {
    for (const kind of Object.keys(httpLimitsOf().concurrency) as RequestKind[])
      await checkConcurrency(kind);
  },
};

/** One runs and one waits, and the third is refused. */
async function checkConcurrency(kind: RequestKind): Promise<void> {
  const { handlers, finish, running } = held();
  const mount: HttpMount = async (_, response) => {
    await handlers.handle("status", {});
    response.end("{}");
  };
  const limits = { concurrency: { [kind]: { running: 1, waiting: 1 } } };
  const path = kind === "mounted" ? "/mcp" : operations[kind].path;
  const bytes = post(path, "{}");
  await withServer({ handlers, limits, mounts: { "/mcp": mount } }, async ({ port }) => {
    const first = send(port, bytes);
    await until(() => running() === 1);
    const rest = [send(port, bytes), send(port, bytes)];
    const refused = await Promise.race(rest);
    finish();
    const statuses = (await Promise.all([first, ...rest])).map(({ status }) => status);

    expect(refused).toMatchObject({ status: 503, kind: "queue_full" });
    expect(statuses.toSorted()).toEqual([200, 200, 503]);
    expect(running()).toBe(2);
  });
}

describe("a limit of HTTP", () => {
  it.each(Object.keys(httpLimitsOf()))("is enforced: %s", async (name) => {
    await httpCases[name as keyof HttpLimits]();
  });
});

describe("an invalid limit", () => {
  const handlers = answering(async () => ({}));
  const none: readonly (readonly [string, HttpLimitOptions])[] = [
    ["maxBodyBytes", { maxBodyBytes: Number.NaN }],
    ["maxHeldBytes", { maxHeldBytes: -1 }],
    ["maxDepth", { maxDepth: 0 }],
    ["maxConnections", JSON.parse('{ "maxConnections": "many" }')],
    ["headersTimeoutMs", { headersTimeoutMs: 0 }],
    // Timers take it for no time at all.
    ["answerTimeoutMs", { answerTimeoutMs: Number.POSITIVE_INFINITY }],
    ["lingerMs", { lingerMs: -1 }],
    ["concurrency.get.running", { concurrency: { get: { running: 0, waiting: 1 } } }],
    ["concurrency.mounted.waiting", { concurrency: { mounted: { running: 1, waiting: -1 } } }],
  ];

  it.each(none)("of the HTTP server is refused: %s", (name, limits) => {
    const create = (): unknown => createHttpServer({ handlers, port: 0, limits });

    expect(create).toThrow(TypeError);
    expect(create).toThrow(`${name}: `);
  });

  it.each(Object.keys(handlerCases))("of the handlers is refused: %s", (name) => {
    for (const limit of [Number.NaN, -1, 0]) {
      const limits = { [name]: limit };
      expect(() => createHandlers({ namespaces: served.pond.namespaces, limits })).toThrow(
        `${name}: ${limit} is not allowed; use a number from 1`,
      );
    }
  });

  it.each([-1, 0.5, Number.NaN])("of trusted proxies is refused: %s", (trustedProxies) => {
    expect(() => createHttpServer({ handlers, port: 0, trustedProxies })).toThrow("trustedProxies");
  });
});
