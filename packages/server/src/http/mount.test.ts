import { describe, expect, it } from "vitest";
import type { HttpMount } from "./mount.ts";
import { post, send, sendUntilClosed, withServer } from "./testing.ts";

const echo: HttpMount = async (request, response, body) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ method: request.method, body }));
};

describe("a mount", () => {
  it("answers in its own format, with the headers that every answer has", async () => {
    const answer = await withServer({ mounts: { "/mcp": echo } }, ({ port }) =>
      send(port, post("/mcp", '{"a":1}')),
    );

    expect(answer).toMatchObject({
      status: 200,
      body: expect.stringContaining('{"method":"POST","body":{"a":1}}'),
      headers: {
        "x-pond-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
        "x-content-type-options": "nosniff",
        "cache-control": "no-store",
      },
    });
  });

  it.each(["GET", "PUT", "PATCH", "DELETE", "OPTIONS"])("is asked for %s too", async (method) => {
    const answer = await withServer({ mounts: { "/mcp": echo } }, ({ port }) =>
      send(port, `${method} /mcp HTTP/1.1\r\nhost: localhost\r\n\r\n`),
    );

    expect(answer.body).toContain(`{"method":"${method}"}`);
  });

  it.each([
    ["a foreign Host", "host_not_allowed", post("/mcp", "{}", { host: "evil.example" })],
    ["a foreign Origin", "origin_not_allowed", post("/mcp", "{}", { origin: "http://a.b" })],
    ["too large a body", "body_too_large", post("/mcp", " ".repeat(70_000))],
    ["too deep a body", "body_too_deep", post("/mcp", "[".repeat(100))],
    [
      "an unsupported content type",
      "content_type_unsupported",
      post("/mcp", "", { "content-type": "a/b" }),
    ],
  ])("is not asked when a request has %s", async (_, kind, bytes) => {
    const answer = await withServer({ mounts: { "/mcp": echo } }, ({ port }) => send(port, bytes));

    expect(answer).toMatchObject({ code: "validation_failed", kind });
  });

  it("that throws is answered with an internal error that hides its message", async () => {
    const failing: HttpMount = async () => {
      throw new Error("a word nobody should see");
    };
    const seen = await withServer({ mounts: { "/mcp": failing } }, async ({ port, lines }) => ({
      answer: await send(port, post("/mcp", "{}")),
      lines,
    }));

    expect(seen.answer).toMatchObject({ status: 500, code: "internal" });
    expect(seen.answer.body + seen.lines.join("")).not.toContain("nobody should see");
  });

  it("is cut off at the deadline of a stop", async () => {
    const started = Promise.withResolvers<void>();
    const endless: HttpMount = async (_, response) => {
      response.writeHead(200);
      response.write("a");
      started.resolve();
    };
    const isClean = await withServer({ mounts: { "/mcp": endless } }, async ({ port, server }) => {
      const answer = sendUntilClosed(port, "GET /mcp HTTP/1.1\r\nhost: localhost\r\n\r\n");
      await started.promise;
      const isClean = await server.stop({ deadlineMs: 0 });
      await answer;
      return isClean;
    });

    expect(isClean).toBe(false);
  });
});
