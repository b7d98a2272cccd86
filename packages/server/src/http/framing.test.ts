import { describe, expect, it } from "vitest";
import { answering, post, send, sendUntilClosed, withServer } from "./testing.ts";

const search = "/v1/search";
const head =
  "POST /v1/search HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nx-last: 1\r\n";
const request = (headers: string, body: string): Buffer =>
  Buffer.from(`${head}${headers}\r\n${body}`, "latin1");
const chunks = "2\r\n{}\r\n0\r\n\r\n";
const te = "transfer-encoding: chunked\r\n";

/** What came back, and how often a handler was asked, for bytes and a second request behind them. */
async function exchange(bytes: Buffer) {
  const asked: unknown[] = [];
  const handlers = answering(async (_, body) => void asked.push(body));
  // What would be asked if the first request ended earlier, or later, than it says.
  const smuggled = post("/v1/ingest", '{"smuggled":true}', { connection: "close" });
  const limits = { idleTimeoutMs: 1_000, bodyTimeoutMs: 1_000, lingerMs: 100 };
  const text = await withServer({ handlers, limits }, ({ port }) =>
    sendUntilClosed(port, Buffer.concat([bytes, smuggled])),
  );
  const answers = [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));
  const kinds = [...text.matchAll(/"kind":"(\w+)"/g)].map(([, kind]) => kind);
  return { answers, kinds, asked };
}

describe("refuses with 400, and closes the connection, for", () => {
  it.each<[string, Buffer]>([
    ["Content-Length before Transfer-Encoding", request(`content-length: 4\r\n${te}`, chunks)],
    ["Transfer-Encoding before Content-Length", request(`${te}content-length: 4\r\n`, chunks)],
    ["two different Content-Lengths", request("content-length: 2\r\ncontent-length: 3\r\n", "{} ")],
    ["two equal Content-Lengths", request("content-length: 2\r\ncontent-length: 2\r\n", "{}")],
    ["a list as Content-Length", request("content-length: 2, 2\r\n", "{}")],
    ["a Content-Length with a sign", request("content-length: +2\r\n", "{}")],
    ["a hexadecimal Content-Length", request("content-length: 0x2\r\n", "{}")],
    ["a Content-Length of 30 digits", request(`content-length: ${"9".repeat(30)}\r\n`, "{}")],
    ["Transfer-Encoding twice", request(te + te, chunks)],
    [
      "a Transfer-Encoding that does not end in chunked",
      request("transfer-encoding: chunked, identity\r\n", chunks),
    ],
    [
      "the transfer coding identity",
      request("transfer-encoding: identity\r\ncontent-length: 2\r\n", "{}"),
    ],
    ["a space before a header's colon", request("transfer-encoding : chunked\r\n", chunks)],
    [
      "a vertical tab before a header's value",
      request("transfer-encoding: \x0bchunked\r\n", chunks),
    ],
    ["a folded header", request(`x-a: a\r\n ${te}content-length: 2\r\n`, "{}")],
    ["a bare CR in a header", request(`x-a: a\r${te}content-length: 2\r\n`, "{}")],
    [
      "bare LFs as line ends",
      Buffer.from(`${head}content-length: 2\r\n\r\n{}`.replaceAll("\r", "")),
    ],
    ["a chunk size beyond 64 bits", request(te, `${"f".repeat(17)}\r\n{}\r\n0\r\n\r\n`)],
    ["a negative chunk size", request(te, "-2\r\n{}\r\n0\r\n\r\n")],
    ["chunks with bare LFs as line ends", request(te, "2\n{}\n0\n\n")],
    ["a chunk longer than its size", request(te, "2\r\n{}XX0\r\n\r\n")],
    [
      "a chunk extension of 20,000 characters",
      request(te, `2;${"a".repeat(20_000)}\r\n{}\r\n0\r\n\r\n`),
    ],
    ["a header without a colon", request("x-a\r\ncontent-length: 2\r\n", "{}")],
    ["a header with a space in its name", request("x a: b\r\ncontent-length: 2\r\n", "{}")],
    [
      "chunks in HTTP/1.0 with keep-alive",
      Buffer.from(
        `${head.replace("1.1", "1.0")}connection: keep-alive\r\n${te}\r\n${chunks}`,
        "latin1",
      ),
    ],
    ["HTTP/0.9", Buffer.from("GET /v1/schema\r\n\r\n")],
    ["HTTP/2.0", Buffer.from("GET /healthz HTTP/2.0\r\nhost: localhost\r\n\r\n")],
    ["the HTTP/2 preface", Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")],
  ])("%s", async (_, bytes) => {
    const { answers, kinds, asked } = await exchange(bytes);

    expect(answers).toEqual([400]);
    expect(kinds).toEqual(["http_malformed"]);
    expect(asked).toEqual([]);
  });

  it("endless trailers", async () => {
    const { answers, asked } = await exchange(
      request(te, `2\r\n{}\r\n0\r\na: ${"x".repeat(30_000)}\r\n\r\n`),
    );

    expect([answers, asked]).toEqual([[400], []]);
  });
});

describe("accepts, as well as the next request on the connection,", () => {
  it.each<[string, Buffer]>([
    ["chunks", request(te, chunks)],
    ["a tab before a header's value", request("transfer-encoding:\tchunked\r\n", chunks)],
    ["a chunk extension", request(te, "2;a=b\r\n{}\r\n0\r\n\r\n")],
    ["trailers", request(te, "2\r\n{}\r\n0\r\nhost: evil.example\r\n__proto__: x\r\n\r\n")],
    [
      "empty lines before the request",
      Buffer.concat([Buffer.from("\r\n\r\n"), post(search, "{}")]),
    ],
    ["a byte order mark before the body", post(search, "\ufeff{}")],
    ["a query in the path", post(`${search}?limit=1`, "{}")],
    ["a header that is not ASCII", request("x-a: \xff\xfe\r\ncontent-length: 2\r\n", "{}")],
  ])("%s", async (_, bytes) => {
    const { answers, asked } = await exchange(bytes);

    expect(answers).toEqual([200, 200]);
    expect(asked).toEqual([{}, { smuggled: true }]);
  });

  it("a GET with a body, which is never read as a request", async () => {
    const inner = "POST /v1/search HTTP/1.1\r\nhost: localhost\r\n\r\n";
    const get = `GET /v1/schema HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${inner.length}\r\n\r\n`;
    const { answers, asked } = await exchange(Buffer.from(get + inner));

    expect([answers, asked]).toEqual([[200, 200], [{ smuggled: true }]]);
  });
});

it.each(["h2c", "websocket"])(
  "answers in HTTP/1.1 when the client offers an upgrade to %s",
  async (upgrade) => {
    const bytes = post(search, "{}", { connection: "upgrade", upgrade });
    const { status } = await withServer({}, ({ port }) => send(port, bytes));

    expect(status).toBe(200);
  },
);

describe("HTTP/1.0", () => {
  it.each([
    ["is answered, and the connection closed", "host: localhost\r\n", 200],
    ["is refused without a Host header", "", 403],
  ])("%s", async (_, host, status) => {
    const bytes = `GET /v1/schema HTTP/1.0\r\n${host}\r\n`;
    const text = await withServer({}, ({ port }) => sendUntilClosed(port, bytes));

    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*\r\n`));
    expect(text).toMatch(/^connection: close\r$/im);
  });
});

it.each([
  ["/v1/schema", 200],
  ["/v1/search", 400],
  ["/nowhere", 404],
])("answers HEAD %s without a body", async (path, status) => {
  const bytes = `HEAD ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`;
  const text = await withServer({}, ({ port }) => sendUntilClosed(port, bytes));

  expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(text.indexOf("\r\n\r\n")).toBe(text.length - 4);
});

it("answers a thousand pipelined requests in their order, each once", async () => {
  const handlers = answering(async (_, body) => body);
  const bodies = Array.from({ length: 1_000 }, (_, at) => `{"n":${at}}`);
  const concurrency = { search: { running: 2, waiting: 100 } };
  const text = await withServer({ handlers, limits: { concurrency } }, async ({ port }) => {
    const requests = bodies.map((body, at) =>
      post(search, body, at === bodies.length - 1 ? { connection: "close" } : {}),
    );
    return sendUntilClosed(port, Buffer.concat(requests));
  });

  const answers = [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);
  const numbers = [...text.matchAll(/^\{"n":(\d+)\}/gm)].map(([, n]) => Number(n));
  expect(answers).toHaveLength(1_000);
  expect(new Set(answers)).toEqual(new Set(answers.includes("503") ? ["200", "503"] : ["200"]));
  expect(numbers).toEqual(numbers.toSorted((left, right) => left - right));
  expect(numbers.length).toBe(answers.filter((status) => status === "200").length);
});
