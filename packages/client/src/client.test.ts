import { getEventListeners } from "node:events";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { parseJson } from "@pond/canonical";
import { errorCodes, type IngestEvent, protocolVersion, WireError } from "@pond/wire";
import { describe, expect, it } from "vitest";
import { type Client, createClient } from "./client.ts";
import { AnswerError, ConnectionError, ServerError } from "./errors.ts";
import type { ClientOptions } from "./settings.ts";
import {
  failWith,
  nothingFound,
  pageOf,
  type Reply,
  respondWith,
  sessionEvent,
  withServer,
} from "./testing.ts";

const hangUp: Reply = (response) => void response.destroy();
/** As a server of another protocol does, which answers whatever it is sent. */
const noHttp: Reply = (response) => void response.socket?.end("SSH-2.0\r\n");
const found = respondWith(200, nothingFound);
const query = "lock file";

describe("createClient", () => {
  it.each<[string, Partial<ClientOptions>]>([
    ["a URL without a scheme", { url: "localhost" }],
    ["a file URL", { url: "file:///tmp" }],
    ["a URL with a password", { url: "http://a:b@localhost" }],
    ["an invalid header name", { headers: { "a b": "c" } }],
    ["a fractional number of retries", { retries: 0.5 }],
    ["a negative number of retries", { retries: -1 }],
    ["a timeout of zero", { timeoutMs: 0 }],
    ["a timeout longer than a timer allows", { timeoutMs: 2 ** 31 }],
    ["an answer limit of zero bytes", { maxAnswerBytes: 0 }],
    ["a fetch that is not a function", { fetch: Object(5) }],
  ])("refuses invalid options: %s", (_, options) => {
    const create = () => createClient({ url: "http://localhost", ...options });

    expect(create).toThrow(/^(url|retries|timeoutMs|maxAnswerBytes|Headers|fetch)/);
  });

  it("refuses a runtime that is too old to keep every digit of a number", () => {
    const { isRawJSON } = JSON;
    Object.assign(JSON, { isRawJSON: undefined });
    try {
      expect(() => createClient({ url: "http://localhost" })).toThrow("this runtime is too old");
    } finally {
      Object.assign(JSON, { isRawJSON });
    }
  });
});

describe("a request", () => {
  it("carries the protocol version, the client's namespace and headers, and the given fields", async () => {
    const options = { namespace: "team", headers: { authorization: "Bearer x" } };
    await withServer(
      [found],
      async ({ client, seen }) => {
        await client.search({ query, limit: 3, project: undefined });

        expect(seen).toMatchObject([
          {
            method: "POST",
            url: "/v1/search",
            headers: { "content-type": "application/json", authorization: "Bearer x" },
          },
        ]);
        expect(JSON.parse(seen[0]?.body ?? "")).toEqual({
          protocol_version: protocolVersion,
          namespace: "team",
          query,
          limit: 3,
        });
      },
      options,
    );
  });

  it("names the namespace of the call rather than the client's", () =>
    withServer(
      [found],
      async ({ client, seen }) => {
        await client.search({ query, namespace: "other" });

        expect(JSON.parse(seen[0]?.body ?? "")).toHaveProperty("namespace", "other");
      },
      { namespace: "team" },
    ));

  it.each([
    ["/", "/v1/search"],
    ["/pond", "/pond/v1/search"],
    ["/pond/?key=1#top", "/pond/v1/search?key=1"],
  ])("goes to /v1 below the path of the client's address: %s", (path, expected) =>
    withServer([found], async ({ url, seen }) => {
      await createClient({ url: url + path }).search({ query });

      expect(seen[0]?.url).toBe(expected);
    }),
  );

  it("goes through the fetch function of the options", async () => {
    const asked: unknown[] = [];
    const client = createClient({
      url: "http://pond.test",
      fetch: async (input) => {
        asked.push(String(input));
        return Response.json(nothingFound);
      },
    });

    await expect(client.search({ query })).resolves.toEqual(nothingFound);
    expect(asked).toEqual(["http://pond.test/v1/search"]);
  });
});

describe("a value in a request", () => {
  const looped: Record<string, unknown> = {};
  looped["self"] = looped;
  const paramsOf = (params: unknown): IngestEvent[] => [
    sessionEvent("s"),
    {
      kind: "part",
      part: {
        ...{ id: "p", session_id: "s", message_id: "m", type: "tool_call", call_id: "c" },
        ...{ name: "n", params: params as never, provider_executed: false, options: {} },
        provenance: "conversational",
      },
    },
  ];

  it.each<[string, unknown, string]>([
    ["NaN", { a: [1, Number.NaN] }, "a.1: NaN"],
    ["negative infinity", { a: { b: Number.NEGATIVE_INFINITY } }, "a.b: -Infinity"],
    ["a map", { a: new Map([[1, 2]]) }, "a: Map"],
    ["a set", [new Set([1])], "0: Set"],
    ["bytes", { a: Uint8Array.of(1) }, "a: Uint8Array"],
    ["a date", { a: new Date(0) }, "a: Date"],
    ["an instance of a class", { a: new (class Own {})() }, "a: Own"],
    ["a boxed number", { a: Object(1) }, "a: Number"],
    ["undefined in an array", { a: [undefined, 1] }, "a.0: undefined"],
    ["a hole in an array", Object.assign([1], { 2: 2 }), "1: undefined"],
    ["a function", { a: () => 1 }, "a: function"],
    ["a symbol", { a: Symbol("x") }, "a: symbol"],
    ["a bigint", { a: [1n] }, "a.0: bigint"],
    ["a value that contains itself", { a: looped }, "a.self: a value that holds itself"],
  ])(
    "is refused with its path, before anything is sent, when JSON cannot hold it: %s",
    (_, params, named) =>
      withServer([found], async ({ client, seen }) => {
        const events = paramsOf(params);
        const message = `events.1.part.params.${named} cannot be sent as JSON`;

        await expect(client.ingest({ events })).rejects.toThrow(new TypeError(message));
        await expect(client.ingestAll(events)).rejects.toThrow(new TypeError(message));
        expect(seen).toEqual([]);
      }),
  );

  it.each<[string, unknown, string]>([
    ["an undefined field, which is left out", { a: undefined, b: 1 }, '{"b":1}'],
    [
      "numbers that a double cannot hold",
      parseJson("[12345678901234567890,1e400]"),
      "[12345678901234567890,1e400]",
    ],
    ["an object without a prototype", Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
    ["an object of another realm", runInNewContext("({ a: [1, {}] })"), '{"a":[1,{}]}'],
    [
      "an object with the key __proto__",
      JSON.parse('{"__proto__":{"toJSON":1}}'),
      '{"__proto__":{"toJSON":1}}',
    ],
    ["the same object twice", Array(2).fill({ a: 1 }), '[{"a":1},{"a":1}]'],
    [
      "arrays nested 90,000 deep",
      parseJson(`${"[".repeat(9e4)}1${"]".repeat(9e4)}`),
      `${"[".repeat(9e4)}1`,
    ],
  ])("is sent when JSON can hold it: %s", (_, params, text) =>
    withServer([respondWith(500)], async ({ client, seen }) => {
      await client.ingest({ events: paramsOf(params) }).catch(() => undefined);

      expect(seen[0]?.body.includes(`"params":${text}`)).toBe(true);
    }),
  );

  it("is checked in a search too", () =>
    withServer([found], async ({ client, seen }) => {
      await expect(client.search({ query, limit: Number.NaN })).rejects.toThrow("limit: NaN");
      expect(seen).toEqual([]);
    }));
});

describe("an error of the server", () => {
  it.each(Object.entries(errorCodes))(
    "is thrown as a WireError, after retries only if its code is retryable: %s",
    (code, { httpStatus, isRetryable }) =>
      withServer(
        [failWith(httpStatus, code, { field: "query" }, { "x-pond-request-id": "r-1" })],
        async ({ client, seen, clock }) => {
          const error = await client.search({ query }).catch((thrown: unknown) => thrown);

          expect(error).toBeInstanceOf(ServerError);
          expect(error).toBeInstanceOf(WireError);
          expect(error).toMatchObject({
            code,
            message: `the ${code} message`,
            details: { field: "query" },
            status: httpStatus,
            requestId: "r-1",
            [Symbol.for("pond.error")]: true,
          });
          expect(seen).toHaveLength(isRetryable ? 5 : 1);
          expect(clock.slept).toEqual(isRetryable ? [250, 500, 1000, 2000] : []);
        },
      ),
  );
});

describe("a transient failure", () => {
  it.each<[string, Reply, number]>([
    ["storage_unavailable", failWith(503, "storage_unavailable"), 250],
    ["conflict", failWith(409, "conflict"), 250],
    ["a connection that breaks before an answer", hangUp, 250],
    [
      "an answer that breaks off",
      (response) => {
        response.writeHead(200, { "content-length": "100" }).write('{"mode":');
        setImmediate(() => response.destroy());
      },
      250,
    ],
    ["a proxy that cannot reach the server", respondWith(502, "<html>Bad Gateway</html>"), 250],
    ["a proxy's rate limit with a Retry-After", respondWith(429, "", { "retry-after": "3" }), 3250],
    [
      "an error with a Retry-After in seconds",
      failWith(503, "storage_unavailable", {}, { "retry-after": "7" }),
      7250,
    ],
    [
      "an error with a date as its Retry-After",
      failWith(
        503,
        "storage_unavailable",
        {},
        { "retry-after": new Date(1_009_000).toUTCString() },
      ),
      9250,
    ],
    [
      "an error with a senseless Retry-After",
      failWith(409, "conflict", {}, { "retry-after": "soon" }),
      250,
    ],
  ])("is retried with the same request after a pause: %s", (_, failure, pause) =>
    withServer([failure, found], async ({ client, seen, clock }) => {
      await expect(client.search({ query })).resolves.toEqual(nothingFound);

      expect(clock.slept).toEqual([pause]);
      expect(seen[1]).toMatchObject({ body: seen[0]?.body });
    }),
  );

  it("is not retried when the server asks for a pause of an hour", () =>
    withServer(
      [failWith(503, "storage_unavailable", {}, { "retry-after": "3600" })],
      async ({ client, seen }) => {
        await expect(client.search({ query })).rejects.toMatchObject({
          code: "storage_unavailable",
        });
        expect(seen).toHaveLength(1);
      },
    ));

  it("is not retried when the client allows no retries", () =>
    withServer(
      [hangUp, found],
      async ({ client, seen }) => {
        await expect(client.search({ query })).rejects.toBeInstanceOf(ConnectionError);
        expect(seen).toHaveLength(1);
      },
      { retries: 0 },
    ));

  it("becomes a ConnectionError after the last retry", () =>
    withServer(
      [respondWith(504, "<html>")],
      async ({ client, url }) => {
        await expect(client.search({ query })).rejects.toMatchObject({
          name: "ConnectionError",
          code: "connection_failed",
          message: `${url}/v1/search: a proxy in front of the server answered 504 (tried 3 times)`,
          details: { status: 504, attempts: 3 },
          [Symbol.for("pond.error")]: true,
        });
      },
      { retries: 2 },
    ));

  it("can be a refused connection, reported with its number of attempts", async () => {
    const { url, client, clock } = await withServer([], async (running) => running);

    await expect(client.status()).rejects.toMatchObject({
      message: `${url}/v1/status: nothing listens there (ECONNREFUSED) (tried 5 times)`,
      details: { url: `${url}/v1/status`, attempts: 5 },
    });
    expect(clock.slept).toHaveLength(4);
  });
});

describe("a permanent failure", () => {
  it.each([
    ["a host name that does not resolve", "ENOTFOUND"],
    ["a certificate of an authority that nobody here knows", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
    ["an https address of a port without TLS", "ERR_SSL_WRONG_VERSION_NUMBER"],
  ])("can be %s, which is tried once", async (_, code) => {
    const fetch = async (): Promise<Response> => {
      throw new TypeError("fetch failed", { cause: Object.assign(new Error("failed"), { code }) });
    };
    const client = createClient({ url: "http://pond.invalid?key=secret", fetch });

    await expect(client.status()).rejects.toMatchObject({
      message: `http://pond.invalid/v1/status: the connection failed (${code})`,
    });
  });
});

describe("a call", () => {
  const stalls: [string, Reply][] = [
    ["before an answer", () => undefined],
    ["in the middle of an answer", (response) => void response.writeHead(200).write("{")],
  ];

  it.each(stalls)("ends at its timeout when the server stalls %s", (_, stall) =>
    withServer([stall], async ({ client, seen }) => {
      await expect(client.search({ query }, { timeoutMs: 20 })).rejects.toMatchObject({
        name: "ConnectionError",
        message: expect.stringMatching(/: no answer within 20 ms$/),
        details: { isTimeout: true, attempts: 1 },
      });
      expect(seen.length).toBeLessThan(2);
    }),
  );

  it.each<[string, () => Promise<Response>]>([
    ["before an answer", () => new Promise(() => {})],
    ["in the middle of an answer", async () => new Response(new ReadableStream({}))],
  ])(
    "ends on timeout and on abort when a fetch that ignores its signal stalls %s",
    async (_, fetch) => {
      const client = createClient({ url: "http://127.0.0.1:1", fetch, retries: 0 });
      const gone = new Error("gone");

      await expect(client.search({ query }, { timeoutMs: 20 })).rejects.toMatchObject({
        details: { isTimeout: true },
      });
      const abort = new AbortController();
      setTimeout(() => abort.abort(gone), 20);
      await expect(client.search({ query }, { signal: abort.signal })).rejects.toBe(gone);
    },
  );

  it.each(stalls)("ends on abort when the server stalls %s", (_, stall) => {
    const abort = new AbortController();
    const reply: Reply = (response, request) => {
      stall(response, request);
      setImmediate(() => abort.abort(new Error("enough")));
    };
    return withServer([reply], async ({ client }) => {
      const { signal } = abort;

      await expect(client.search({ query }, { signal })).rejects.toThrow("enough");
    });
  });

  it("sends nothing when its signal is already aborted", () =>
    withServer([found], async ({ client, seen }) => {
      const signal = AbortSignal.abort(new Error("enough"));

      await expect(client.search({ query }, { signal })).rejects.toThrow("enough");
      expect(seen).toEqual([]);
    }));

  it("ends on abort during the pause before a retry", () =>
    withServer(
      [failWith(503, "storage_unavailable", {}, { "retry-after": "60" })],
      async ({ url }) => {
        const abort = new AbortController();
        const client = createClient({
          url,
          fetch: async (...request) => {
            const response = await fetch(...request);
            setTimeout(() => abort.abort(new Error("enough")), 20);
            return response;
          },
        });

        const { signal } = abort;
        await expect(client.status({}, { signal })).rejects.toThrow("enough");
      },
    ));

  it.each([found, hangUp])("leaves no listener on a signal that outlives the call", (reply) =>
    withServer([reply], async ({ client }) => {
      const { signal } = new AbortController();

      await client.search({ query }, { signal }).catch(() => undefined);

      expect(getEventListeners(signal, "abort")).toEqual([]);
    }),
  );

  it("refuses a timeout that is not a number", () =>
    withServer([found], async ({ client }) => {
      await expect(client.search({ query }, { timeoutMs: Number.NaN })).rejects.toThrow(RangeError);
    }));
});

describe("an answer", () => {
  it("keeps fields of a later version and every digit of a number", () =>
    withServer(
      [respondWith(200, `{"later":12345678901234567890,${JSON.stringify(nothingFound).slice(1)}`)],
      async ({ client }) => {
        const response = await client.search({ query });

        expect(JSON.stringify(response)).toContain('"later":12345678901234567890,');
      },
    ));

  it("can be compressed with gzip", () =>
    withServer(
      [respondWith(200, gzipSync(JSON.stringify(nothingFound)), { "content-encoding": "gzip" })],
      async ({ client }) => {
        await expect(client.search({ query })).resolves.toEqual(nothingFound);
      },
    ));

  const match = {
    ...{ message_id: "m", session_id: "s", role: "user", timestamp: "2026-11-20T00:00:00Z" },
    ...{ score: "high", snippet: { text: "", highlights: [] } },
  };
  const session = {
    ...{ session_id: "s", root_session_id: "s", source_agent: "test", project: "/demo" },
    ...{ created_at: "2026-11-20T00:00:00Z", score: 1, matches: [match] },
  };
  const { took_ms: _, ...incomplete } = nothingFound;
  it.each<[string, Reply, object]>([
    [
      "an HTML page",
      respondWith(200, "<!doctype html>"),
      { reason: "is not JSON: is that a pond server?" },
    ],
    ["an empty body", respondWith(200), { reason: "is not JSON: is that a pond server?" }],
    ["an HTML page with status 404", respondWith(404, "<html>"), { status: 404 }],
    [
      "an HTML page with status 401",
      respondWith(401, "<html>"),
      { reason: expect.stringContaining("credentials") },
    ],
    [
      "a JSON refusal with status 403",
      respondWith(403, { message: "no" }),
      { reason: expect.stringContaining("credentials") },
    ],
    [
      "an HTML page with status 413",
      respondWith(413, "<html>"),
      { reason: expect.stringContaining("takes no request this large") },
    ],
    [
      "an error in another format",
      respondWith(400, { error: "no" }),
      { status: 400, path: "error" },
    ],
    [
      "an unknown error code",
      failWith(418, "teapot", {}, { "x-pond-request-id": "r-2" }),
      { status: 418, path: "error.code", requestId: "r-2" },
    ],
    [
      "bytes that are not UTF-8",
      respondWith(200, Uint8Array.of(0x22, 0xff, 0x22)),
      { reason: "is not UTF-8" },
    ],
    ["a redirect", respondWith(307, "", { location: "http://127.0.0.1:9/" }), { status: 307 }],
    ["JSON without a required field", respondWith(200, incomplete), { path: "took_ms" }],
    [
      "a field of the wrong type",
      respondWith(200, { ...nothingFound, sessions: [session] }),
      { path: "sessions.0.matches.0.score" },
    ],
    ["an array", respondWith(200, []), { status: 200 }],
    [
      "an error of a server without this protocol version",
      failWith(404, "not_found", { kind: "path_unknown" }),
      { status: 404, reason: expect.stringContaining("protocol_version 1") },
    ],
  ])("is refused without a retry when it does not follow the protocol: %s", (_, reply, details) =>
    withServer([reply], async ({ client, url, seen }) => {
      const error = await client.search({ query }).catch((thrown: unknown) => thrown);

      expect(error).toBeInstanceOf(AnswerError);
      expect(error).toMatchObject({
        code: "answer_invalid",
        message: expect.stringContaining(`${url}/v1/search: the answer`),
        details: { url: `${url}/v1/search`, ...details },
        [Symbol.for("pond.error")]: true,
      });
      expect(seen).toHaveLength(1);
    }),
  );

  it.each<[string, Reply]>([
    ["sent in one piece", respondWith(200, " ".repeat(1001))],
    [
      "sent in several pieces",
      (response) => {
        response.writeHead(200);
        for (let chunk = 0; chunk < 11; chunk++) response.write(" ".repeat(100));
        response.end();
      },
    ],
    [
      "once decompressed",
      respondWith(200, gzipSync(" ".repeat(100_000)), { "content-encoding": "gzip" }),
    ],
  ])("is refused when longer than maxAnswerBytes, %s", (_, reply) =>
    withServer(
      [reply],
      async ({ client }) => {
        await expect(client.search({ query })).rejects.toMatchObject({
          details: { reason: "is longer than 1000 bytes" },
        });
      },
      { maxAnswerBytes: 1000 },
    ),
  );

  it("is checked as the view of one message when a message was asked for", async () => {
    const whole = viewOf();
    await withServer([respondWith(200, whole)], async ({ client }) => {
      const answer = await client.get({ session_id: "s", message_id: "m" });

      expect(answer.target.id).toBe("m");
    });
    await withServer([respondWith(200, { ...whole, target: { id: 1 } })], async ({ client }) => {
      await expect(client.get({ session_id: "s", message_id: "m" })).rejects.toMatchObject({
        details: { path: expect.stringMatching(/^target\./) },
      });
    });
  });

  it.each([{ session_id: "s", message_id: "m" }, { session_id: "s" }])(
    "is refused when it is of another kind than the request asked for: %j",
    (request) =>
      withServer(
        ["message_id" in request ? respondWith(200, pageOf(["m"], 0)) : respondWith(200, viewOf())],
        async ({ client }) => {
          await expect(client.get(request)).rejects.toBeInstanceOf(AnswerError);
        },
      ),
  );

  it("counts as a failed connection when the server does not speak HTTP, and is waited for", () =>
    withServer([noHttp, noHttp, found], async ({ client, clock, seen }) => {
      await expect(client.search({ query })).resolves.toMatchObject(nothingFound);
      expect([clock.slept.length, seen.length]).toEqual([2, 3]);
    }));
});

it("an error without a code is reported without one", () =>
  withServer(
    [noHttp],
    async ({ client, url }) => {
      await expect(client.search({ query })).rejects.toMatchObject({
        message: `${url}/v1/search: the connection failed`,
      });
    },
    { retries: 0 },
  ));

describe("pages", () => {
  const idsOf = async (items: AsyncIterable<{ readonly id: string }>): Promise<string[]> =>
    (await Array.fromAsync(items)).map(({ id }) => id);

  it("are fetched one after another to the end of a session", () =>
    withServer(
      [respondWith(200, pageOf(["a", "b"], 1)), respondWith(200, pageOf(["c"], 0))],
      async ({ client, seen }) => {
        const options = { response_mode: "complete", namespace: "team" } as const;

        expect(await idsOf(client.messages("s", options))).toEqual(["a", "b", "c"]);
        expect(seen.map(({ body }) => JSON.parse(body))).toEqual([
          { protocol_version: 1, session_id: "s", ...options },
          { protocol_version: 1, session_id: "s", ...options, after_id: "b" },
        ]);
      },
    ));

  it("of a session are fetched only when the caller reads on", () =>
    withServer([respondWith(200, pageOf(["a", "b"], 1))], async ({ client, seen }) => {
      for await (const { id } of client.messages("s")) if (id === "b") break;

      expect(seen).toHaveLength(1);
    }));

  it("are fetched one after another to the end of a search", () =>
    withServer(
      [respondWith(200, { ...nothingFound, next: "n" }), found],
      async ({ client, seen }) => {
        expect(await Array.fromAsync(client.searchAll({ query }))).toEqual([]);
        expect(seen.map(({ body }) => JSON.parse(body).after)).toEqual([undefined, "n"]);
      },
    ));

  it.each<[string, Reply]>([
    ["an empty page", respondWith(200, pageOf([], 1))],
    ["the same page again", respondWith(200, pageOf(["a"], 1))],
  ])("of a session end with an error when the server does not advance: %s", (_, reply) =>
    withServer([reply], async ({ client, seen }) => {
      await expect(idsOf(client.messages("s"))).rejects.toThrow("is the previous page again");
      expect(seen.length).toBeLessThan(3);
    }),
  );

  it.each<[string, (client: Client) => AsyncIterable<unknown>]>([
    ["a search", (client) => client.searchAll({ query })],
    ["a listing", (client) => client.listAll()],
  ])("of %s end with an error when the server does not advance", (_, ask) =>
    withServer([respondWith(200, { ...nothingFound, next: "n" })], async ({ client, seen }) => {
      const all = Array.fromAsync(ask(client));

      await expect(all).rejects.toThrow("is the previous page again");
      expect(seen).toHaveLength(2);
    }),
  );
});

function viewOf(): object {
  const { session, messages } = pageOf(["m"], 0);
  return { session, before: [], target: messages[0], after: [], target_parts_remaining: 0 };
}
