import { once } from "node:events";
import { connect } from "node:net";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHttpServer, type HttpServer } from "../http/index.ts";
import type { Handlers } from "../index.ts";
import { chat, testPond } from "../testing.ts";
import { createMcpServer } from "./server.ts";
import { createMcpRequestHandler } from "./streamable-http.ts";
import { answered } from "./testing.ts";

const pond = testPond();
let server: HttpServer;
let url: string;
beforeAll(async () => {
  await pond.ask("ingest", { events: chat("s", ["Where does the heron nest?", "In the reeds."]) });
  [server, url] = await serve(pond.handlers);
});
afterAll(async () => {
  await server.stop();
  await pond.remove();
});

async function serve(handlers: Handlers): Promise<[HttpServer, string]> {
  const mcp = createMcpRequestHandler(() => createMcpServer({ handlers, version: "1" }));
  const started = createHttpServer({ handlers, port: 0, mounts: { "/mcp": mcp } });
  return [started, `${(await started.listen()).url}/mcp`];
}

async function connected(to: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  // Its accessors are typed wider than those of the interface it implements.
  await client.connect(new StreamableHTTPClientTransport(new URL(to)) as never);
  return client;
}

const search = { name: "pond_search", arguments: { query: "heron" } };
const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: search };
const accept = "application/json, text/event-stream";

function post(body: string, headers: Record<string, string> = {}): Promise<Response> {
  const all = { accept, "content-type": "application/json", ...headers };
  return fetch(url, { method: "POST", body, headers: all });
}

function postBatch(to: string, batch: readonly object[]): Promise<Response> {
  const headers = { accept, "content-type": "application/json" };
  return fetch(to, { method: "POST", body: JSON.stringify(batch), headers });
}

/** Handlers that find nothing, and count how many calls they answer at once. */
function counting() {
  const counts = { running: 0, most: 0, begun: 0 };
  const handle: unknown = async () => {
    counts.begun += 1;
    counts.running += 1;
    counts.most = Math.max(counts.most, counts.running);
    await new Promise((resolve) => setImmediate(resolve));
    counts.running -= 1;
    return { mode: "full_text", total_in_scope: 0, sessions: [], took_ms: 1 };
  };
  return { handlers: { handle } as Handlers, counts };
}

describe("MCP over Streamable HTTP", () => {
  it("answers the protocol's own client", async () => {
    const client = await connected(url);

    expect((await client.listTools()).tools).toHaveLength(3);
    const found = (await client.callTool(search)) as CallToolResult;
    expect(answered(found).sessions).toMatchObject([{ session_id: "s" }]);
    expect((await client.listResources()).resources).toHaveLength(2);
    expect((await client.readResource({ uri: "stats://pond" })).contents).toHaveLength(1);
    await expect(client.callTool({ name: "pond_ingest" })).rejects.toMatchObject({ code: -32_602 });
    await client.close();
  });

  it("answers many clients at once, each with its own result", async () => {
    const clients = await Promise.all(Array.from({ length: 10 }, () => connected(url)));

    const answers = await Promise.all(
      clients.map((client, at) =>
        client.callTool({ name: "pond_get", arguments: { session_id: `s${at}` } }),
      ),
    );

    expect(answers.map((answer, at) => JSON.stringify(answer).includes(`s${at}`))).toEqual(
      clients.map(() => true),
    );
    await Promise.all(clients.map((client) => client.close()));
  });

  it("answers a request without opening a session", async () => {
    const response = await post(JSON.stringify(message));

    expect(response.headers.get("mcp-session-id")).toBeNull();
    expect(response.headers.get("x-pond-request-id")).toMatch(/./);
    expect(await response.json()).toMatchObject({ id: 1, result: { structuredContent: {} } });
  });

  it.each(["GET", "DELETE", "PUT"])("answers %s with 405", async (method) => {
    const response = await fetch(url, { method, headers: { accept } });

    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
  });

  it.each([
    ["a GET request", "GET", 405, "validation_failed"],
    ["a request that accepts only HTML", "POST", 406, "validation_failed"],
    ["a successful call", "POST", 200, "ok"],
  ])(
    "is logged with the status and the size of its answer: %s",
    async (_, method, status, code) => {
      const lines: string[] = [];
      const mcp = createMcpRequestHandler(() => createMcpServer({ ...pond, version: "1" }));
      const logger = { write: (line: string) => void lines.push(line) };
      const logging = createHttpServer({ ...pond, port: 0, logger, mounts: { "/mcp": mcp } });
      const { url: address } = await logging.listen();
      const response = await fetch(`${address}/mcp`, {
        method,
        headers: {
          accept: status === 406 ? "text/html" : accept,
          "content-type": "application/json",
        },
        ...(method === "POST" && { body: JSON.stringify(message) }),
      });
      const { length } = await response.text();
      await logging.stop();

      expect(response.status).toBe(status);
      const answered = lines
        .map((line) => JSON.parse(line))
        .filter(({ msg }) => msg === "answered");
      expect(answered).toMatchObject([{ operation: "/mcp", status, code, bytes_out: length }]);
    },
  );

  it.each([
    ["a foreign Host, as after DNS rebinding", { host: "evil.example" }],
    ["a foreign Origin", { origin: "https://evil.example" }],
    ["the Origin null", { origin: "null" }],
  ])("refuses a request with %s", async (_, headers) => {
    const lines = Object.entries({ host: "127.0.0.1", ...headers }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    const body = JSON.stringify(message);
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.write(
      `POST /mcp HTTP/1.1\r\n${lines.join("")}accept: ${accept}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );

    const [answer] = await once(socket, "data");

    socket.destroy();
    expect(String(answer)).toMatch(/^HTTP\/1\.1 403 /);
    expect(String(answer)).not.toContain("heron");
  });

  it.each([
    ["text that is not JSON", "{", 400],
    ["JSON that is not a message", "[1]", 400],
    ["more than a mebibyte", JSON.stringify({ ...message, more: "x".repeat(1024 * 1024) }), 413],
    ["nesting that is too deep", `${"[".repeat(5_000)}${"]".repeat(5_000)}`, 400],
  ])("refuses an invalid body: %s", async (_, body, status) => {
    const response = await post(body);

    expect([status, 400]).toContain(response.status);
    await response.body?.cancel();
  });

  it.each([
    ["2025-06-18", 200],
    ["2024-11-05", 200],
    ["1999-01-01", 400],
    ["", 400],
  ])("answers a request of protocol version %j with status %i", async (version, status) => {
    const headers = { "mcp-protocol-version": version };
    const response = await post(JSON.stringify(message), headers);

    expect(response.status).toBe(status);
    await response.body?.cancel();
  });

  it("answers a request with an unknown session id like any other", async () => {
    const response = await post(JSON.stringify(message), { "mcp-session-id": "x" });

    // There are none, so each is as good as another.
    expect(await response.json()).toMatchObject({ id: 1, result: {} });
  });

  it("answers a notification with 202", async () => {
    const { status } = await post('{"jsonrpc":"2.0","method":"notifications/initialized"}');

    expect(status).toBe(202);
  });

  it("handles the calls of a batch one at a time, in their order", async () => {
    const { handlers, counts } = counting();
    const [other, address] = await serve(handlers);
    const ids = Array.from({ length: 20 }, (_, id) => id);

    const response = await postBatch(
      address,
      ids.map((id) => ({ ...message, id })),
    );

    expect(((await response.json()) as { id: number }[]).map(({ id }) => id)).toEqual(ids);
    expect(counts).toEqual({ running: 0, most: 1, begun: 20 });
    await other.stop();
  });

  it("begins no more calls of a batch once the batch is answered", async () => {
    const { handlers, counts } = counting();
    const [other, address] = await serve(handlers);

    // Of calls of one id there is one answer.
    const response = await postBatch(address, Array(20).fill(message));

    expect(await response.json()).toMatchObject({ id: 1, result: {} });
    await other.stop();
    expect(counts.begun).toBeLessThanOrEqual(2);
  });

  it("cancels the call of a client that goes away", async () => {
    const asked = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<void>();
    const handle: unknown = (_: string, __: object, { signal }: { signal: AbortSignal }) => {
      asked.resolve();
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          aborted.resolve();
          reject(signal.reason);
        });
      });
    };
    const [other, address] = await serve({ handle } as Handlers);
    const controller = new AbortController();
    const headers = { accept, "content-type": "application/json" };
    const body = JSON.stringify(message);
    const { signal } = controller;
    const response = fetch(address, { method: "POST", body, headers, signal });
    await asked.promise;

    controller.abort();

    await expect(response).rejects.toThrow();
    await aborted.promise;
    await other.stop();
  });
});
