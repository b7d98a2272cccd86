import { gzipSync } from "node:zlib";
import { operations } from "@pond/wire";
import { describe, expect, it } from "vitest";
import { answering, type Chunk, post, send, sendUntilClosed, withServer } from "./testing.ts";

const search = "/v1/search";
const get = (path: string, headers = "host: localhost\r\n"): string =>
  `GET ${path} HTTP/1.1\r\n${headers}\r\n`;
const chunked = { "content-length": null, "transfer-encoding": "chunked" };
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const small = { maxBodyBytes: 1_000, maxIngestBytes: 2_000, maxIngestDepth: 100 };

const preflight =
  "access-control-request-method: POST\r\naccess-control-request-private-network: true\r\n";

type Refusal = readonly [name: string, kind: string, status: number, ...chunks: Chunk[]];

const refusals: readonly Refusal[] = [
  ["no Host", "host_not_allowed", 403, post(search, "{}", { host: null })],
  [
    "a Host of somebody else",
    "host_not_allowed",
    403,
    post(search, "{}", { host: "evil.example" }),
  ],
  ["two Hosts", "host_not_allowed", 403, get("/v1/schema", "host: localhost\r\nhost: evil\r\n")],
  ["an Origin elsewhere", "origin_not_allowed", 403, post(search, "{}", { origin: "http://a.b" })],
  ["the Origin of a file", "origin_not_allowed", 403, post(search, "{}", { origin: "null" })],
  ["a body announced too large", "body_too_large", 400, post(search, "x".repeat(1_001))],
  [
    "a length that nothing follows",
    "body_too_large",
    400,
    post(search, "", { "content-length": "99999999999" }),
  ],
  [
    "chunks that become too large",
    "body_too_large",
    400,
    post(search, "", chunked),
    chunk("x".repeat(600)),
    chunk("x".repeat(600)),
  ],
  ["an ingest too large", "body_too_large", 400, post("/v1/ingest", "x".repeat(2_001))],
  ["nesting without end", "body_too_deep", 400, post(search, "[".repeat(900))],
  ["nesting in an object", "body_too_deep", 400, post(search, '{"a":'.repeat(100))],
  ["nesting in an ingest", "body_too_deep", 400, post("/v1/ingest", "[".repeat(101))],
  [
    "many small objects",
    "body_too_many_objects",
    400,
    post("/v1/ingest", `{"events":[${Array(124).fill("{}").join(",")}]}`),
  ],
  ["no body", "body_not_json", 400, post(search, "")],
  ["UTF-16", "body_not_json", 400, post(search, Buffer.from("{}", "utf16le"))],
  ["a NUL in a text", "body_not_json", 400, post(search, '{"a":"\0"}')],
  ["a NUL behind the body", "body_not_json", 400, post(search, "{}\0")],
  ["two byte order marks", "body_not_json", 400, post(search, "\ufeff\ufeff{}")],
  ["half a body", "body_not_json", 400, post(search, '{"protocol_version": 1')],
  ["invalid UTF-8", "body_not_utf8", 400, post(search, Buffer.from([0x7b, 0xff, 0x7d]))],
  [
    "no content type",
    "content_type_unsupported",
    400,
    post(search, "{}", { "content-type": null }),
  ],
  ...["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=a"].map(
    (type) =>
      [
        `what a page may send unasked: ${type}`,
        "content_type_unsupported",
        400,
        post(search, "{}", { "content-type": type }),
      ] satisfies Refusal,
  ),
  [
    "another charset",
    "content_type_unsupported",
    400,
    post(search, "{}", { "content-type": "application/json; charset=utf-16" }),
  ],
  [
    "a content type that is none",
    "content_type_unsupported",
    400,
    post(search, "{}", { "content-type": ";;;" }),
  ],
  [
    "a gzip bomb",
    "content_encoding_unsupported",
    400,
    post(search, gzipSync(Buffer.alloc(500_000)), { "content-encoding": "gzip" }),
  ],
  [
    "a gzip bomb in chunks",
    "content_encoding_unsupported",
    400,
    post(search, "", { ...chunked, "transfer-encoding": "gzip, chunked" }),
  ],
  [
    "a brotli body",
    "content_encoding_unsupported",
    400,
    post(search, "{}", { "content-encoding": "br" }),
  ],
  ["another method", "method_not_allowed", 400, get(search)],
  ["a method few have heard of", "method_not_allowed", 400, get(search).replace("GET", "PROPFIND")],
  ["a preflight", "method_not_allowed", 400, get(search).replace("GET", "OPTIONS")],
  [
    "a preflight of its own page",
    "method_not_allowed",
    400,
    get(search, `host: localhost\r\norigin: http://localhost\r\n${preflight}`).replace(
      "GET",
      "OPTIONS",
    ),
  ],
  [
    "a preflight of a page elsewhere",
    "origin_not_allowed",
    403,
    get(search, `host: localhost\r\norigin: http://evil.example\r\n${preflight}`).replace(
      "GET",
      "OPTIONS",
    ),
  ],
  ["TRACE", "method_not_allowed", 400, get(search).replace("GET", "TRACE")],
  ["a POST of a document", "method_not_allowed", 400, post("/v1/schema", "{}")],
  ["a path there is not", "path_unknown", 404, get("/v1/nothing")],
  ["a path with a slash more", "path_unknown", 404, post("/v1/search/", "{}")],
  ["a path in other case", "path_unknown", 404, post("/v1/Search", "{}")],
  ["a path that is a pattern", "path_unknown", 404, post("/*v1/search", "[]")],
  ["a path with a parameter", "path_unknown", 404, post("/:v1(^\\d+)/search", "[]")],
  ["a path upwards", "path_unknown", 404, get("/v1/../../etc/passwd")],
  ["a path upwards to what there is", "path_unknown", 404, get("/v1/../healthz")],
  ["a path upwards, encoded", "path_unknown", 404, get("/%2e%2e/%2e%2e/etc/passwd")],
  ["a path upwards, its slash encoded", "path_unknown", 404, get("/v1%2f..%2fhealthz")],
  ["a path with a slash encoded", "path_unknown", 404, post("/v1%2fsearch", "{}")],
  ["a path with two slashes", "path_unknown", 404, get("//v1/schema")],
  ["a path with a NUL", "path_unknown", 404, get("/v1/schema%00")],
  ["a path with a semicolon", "path_unknown", 404, get("/v1/schema;a=b")],
  ["a raw NUL in a path", "http_malformed", 400, get("/v1/schema\0")],
  ["a path that is no ASCII", "http_malformed", 400, Buffer.from(get("/v1/\xff"), "latin1")],
  ["a path with a space", "http_malformed", 400, get("/v1/sche ma")],
  ["a path without end", "headers_too_large", 400, get(`/${"a".repeat(20_000)}`)],
  ["an authority", "http_malformed", 400, get("localhost:80")],
  ["a whole address", "http_malformed", 400, get("http://localhost/v1/schema")],
  ["a star", "http_malformed", 400, get("*").replace("GET", "OPTIONS")],
  ["a path that cannot be decoded", "http_malformed", 400, get("/%ZZ")],
  ["what is no HTTP", "http_malformed", 400, "HELO pond\r\n\r\n"],
  ["TLS", "http_malformed", 400, Buffer.from("16030100a5010000a10303", "hex")],
  [
    "a length that is no number",
    "http_malformed",
    400,
    post(search, "", { "content-length": "-1" }),
  ],
  [
    "a length beside chunks",
    "http_malformed",
    400,
    post(search, "{}", { "transfer-encoding": "chunked" }),
  ],
  ["a chunk that has no size", "http_malformed", 400, post(search, "", chunked), "zz\r\n"],
  ["a NUL in a header", "http_malformed", 400, post(search, "{}", { "x-a": "a\0b" })],
  ["an expectation", "http_malformed", 400, post(search, "{}", { expect: "a miracle" })],
  ["headers without end", "headers_too_large", 400, post(search, "{}", { a: "x".repeat(20_000) })],
  [
    "a hundred thousand headers",
    "headers_too_large",
    400,
    get("/v1/schema", `host: localhost\r\n${"a:b\r\n".repeat(100_000)}`),
  ],
];

describe("refuses", () => {
  it.each(refusals.map(([name, kind, status, ...chunks]) => ({ name, kind, status, chunks })))(
    "$name: $kind",
    async ({ kind, status, chunks }) => {
      const asked: unknown[] = [];
      const handlers = answering(async (...all) => void asked.push(all));
      const [answer, after] = await withServer({ handlers, limits: small }, async ({ port }) => [
        await send(port, ...chunks),
        await send(port, get("/healthz")),
      ]);

      expect({ status: answer.status, kind: answer.kind }).toEqual({ status, kind });
      expect(answer.code).toBe(status === 404 ? "not_found" : "validation_failed");
      expect(answer.headers).toMatchObject({
        "content-type": "application/json; charset=utf-8",
        "x-pond-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
        "x-content-type-options": "nosniff",
        "cache-control": "no-store",
      });
      expect(answer.headers).not.toHaveProperty("access-control-allow-origin");
      expect(asked).toEqual([]);
      expect(after.status).toBe(200);
    },
  );
});

it("answers a whole request, and closes when bytes that are no request follow it", async () => {
  const text = await withServer({}, ({ port }) =>
    sendUntilClosed(port, Buffer.concat([post(search, "{}"), Buffer.from("what is this?\r\n")])),
  );

  expect(text.match(/^HTTP\/1.1 \d+/gm)).toEqual(["HTTP/1.1 200"]);
});

it("closes a connection that asks for a tunnel (CONNECT)", async () => {
  const text = await withServer({}, ({ port }) =>
    sendUntilClosed(port, "CONNECT localhost:22 HTTP/1.1\r\nhost: localhost\r\n\r\n"),
  );

  expect(text).toBe("");
});

it("does not let too many headers hide an Origin", async () => {
  const many = Object.fromEntries(Array.from({ length: 2_200 }, (_, at) => [`a${at}`, ""]));
  const answer = await withServer({}, ({ port }) =>
    send(port, post(search, "{}", { ...many, origin: "http://evil.example" })),
  );

  expect(["origin_not_allowed", "headers_too_large"]).toContain(answer.kind);
});

it("names the methods that a path allows", async () => {
  const answers = await withServer({}, async ({ port }) => [
    await send(port, get(search)),
    await send(port, post("/v1/schema", "{}")),
  ]);

  expect(answers.map(({ headers }) => headers["allow"])).toEqual(["POST", "GET, HEAD"]);
});

it("accepts JSON however its content type is spelled", async () => {
  const types = [
    "application/json",
    "Application/JSON",
    "application/json;charset=UTF-8",
    'application/json; charset="utf-8"',
  ];
  const statuses = await withServer({}, ({ port }) =>
    Promise.all(
      types.map(async (type) => {
        const { status } = await send(port, post(search, "{}", { "content-type": type }));
        return status;
      }),
    ),
  );

  expect(statuses).toEqual(types.map(() => 200));
});

it("passes __proto__ to a handler as an ordinary field, and pollutes no prototype", async () => {
  const asked: object[] = [];
  const handlers = answering(async (_, request) => void asked.push(request as object));
  const body =
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":{"__proto__":[]}}';
  await withServer({ handlers }, ({ port }) => send(port, post(search, body)));

  expect(asked.map((each) => Object.keys(each))).toEqual([["__proto__", "constructor", "a"]]);
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

describe("a slow client", () => {
  const limits = { headersTimeoutMs: 200, bodyTimeoutMs: 200, lingerMs: 100 };

  it.each([
    [
      "stops in the middle of a header",
      "headers_too_slow",
      "POST /v1/search HTTP/1.1\r\nhost: localh",
    ],
    ["never ends its headers", "headers_too_slow", `${get(search).slice(0, -2)}x-a: b\r\n`],
    ["never ends its body", "body_too_slow", post(search, "{", { "content-length": "10" })],
    ["never sends its chunks", "body_too_slow", post(search, "", chunked)],
  ])("is answered with 400 and disconnected when it %s", async (_, kind, bytes) => {
    const text = await withServer({ limits }, ({ port }) => sendUntilClosed(port, bytes));

    expect(text).toMatch(/^HTTP\/1.1 400 /);
    expect(text).toContain(`"kind":"${kind}"`);
  });

  it("is disconnected when it sends nothing, at first or after an answer", async () => {
    const idle = { ...limits, idleTimeoutMs: 200 };
    const texts = await withServer({ limits: idle }, ({ port }) =>
      Promise.all([sendUntilClosed(port), sendUntilClosed(port, get("/healthz"))]),
    );

    expect(texts[0]).toContain("headers_too_slow");
    expect(texts[1]).toMatch(/^HTTP\/1.1 200 /);
  });

  it("takes no place from others while it is still sending", async () => {
    const concurrency = { search: { running: 1, waiting: 1 } };
    const status = await withServer(
      { limits: { ...limits, bodyTimeoutMs: 5_000, concurrency } },
      async ({ port }) => {
        const slow = post(search, "{", { "content-length": "10" });
        for (let count = 0; count < 50; count++) void sendUntilClosed(port, slow);
        const { status } = await send(port, post(search, "{}"));
        return status;
      },
    );

    expect(status).toBe(200);
  });
});

it("lets a large refused body be sent to its end, so that the client reads the answer", async () => {
  const answers = await withServer({ limits: small }, ({ url }) =>
    Promise.all(
      Object.values(operations).map(async ({ path }) => {
        const response = await fetch(`${url}${path}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: " ".repeat(3_000_000),
        });
        const { error } = (await response.json()) as { error: { code: string } };
        return `${response.status} ${error.code}`;
      }),
    ),
  );

  expect(answers).toEqual(answers.map(() => "400 validation_failed"));
});
