import { once } from "node:events";
import { PassThrough } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import type { Handlers } from "../index.ts";
import { testPond } from "../testing.ts";
import { createMcpServer } from "./server.ts";
import { serveStdio } from "./stdio.ts";

type Line = { readonly id?: number; readonly result?: object; readonly error?: object };

const initialize = {
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "t", version: "1" },
  },
};
const call = (id: number) => ({
  id,
  method: "tools/call",
  params: { name: "pond_get", arguments: { session_id: `s${id}` } },
});

const pond = testPond();
afterAll(() => pond.remove());

function nested(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

/** A server on streams, whose calls are answered when they are let go. */
function start(
  options: { readonly signal?: AbortSignal; readonly handle?: Handlers["handle"] } = {},
) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const errors: string[] = [];
  const letGo = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const failing: unknown = async () => {
    asked.resolve();
    await letGo.promise;
    throw new Error("a secret of the server");
  };
  const { handle, ...rest } = { handle: failing as Handlers["handle"], ...options };
  const server = createMcpServer({ handlers: { handle }, version: "1" });
  const onError = ({ message }: Error): void => void errors.push(message);
  const served = serveStdio(server, { stdin, stdout, onError, ...rest });
  const write = (message: object): void => {
    stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  };
  const lines = (): Line[] =>
    String(stdout.read() ?? "")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  const streams = { stdin, stdout };
  return { ...streams, served, write, lines, errors, letGo: letGo.resolve, asked: asked.promise };
}

describe("serveStdio", () => {
  it("ends when stdin ends", async () => {
    const { stdin, served } = start();

    stdin.end();

    await expect(served).resolves.toBeUndefined();
  });

  it("answers requests that came before stdin ended", async () => {
    const { stdin, served, write, lines, asked, letGo } = start();
    for (const message of [initialize, call(2), call(3)]) write(message);
    stdin.end();
    await asked;
    letGo();

    await served;

    const answers = lines();
    expect(answers.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(answers[1]).toMatchObject({ result: { isError: true } });
    expect(JSON.stringify(answers)).not.toContain("secret");
  });

  it("does not wait for the answer to a cancelled call", async () => {
    const { stdin, served, write, lines, asked } = start();
    write(initialize);
    write(call(2));
    await asked;
    write({ method: "notifications/cancelled", params: { requestId: 2 } });
    stdin.end();

    await served;

    expect(lines().map(({ id }) => id)).toEqual([1]);
  });

  it("ends at once when it is aborted", async () => {
    const controller = new AbortController();
    const { served, write, lines, asked } = start({ signal: controller.signal });
    write(initialize);
    write(call(2));
    await asked;
    await nextTurn();

    controller.abort();

    await served;
    expect(lines().map(({ id }) => id)).toEqual([1]);
  });

  it("skips lines that are no messages, and reports each", async () => {
    const { stdin, served, write, lines, errors } = start();
    stdin.write("hello\n\n{}\n[1]\n");
    write(initialize);
    stdin.end();

    await served;

    expect(lines().map(({ id }) => id)).toEqual([1]);
    expect(errors).toHaveLength(4);
    // One line each.
    expect(errors.filter((error) => error.includes("\n"))).toEqual([]);
  });

  it.each([
    ["is nested too deeply", `"session_id":${nested(500_000)}`],
    ["is nested too deeply beside a valid one", `"session_id":"s","x":${nested(100_000)}`],
    [
      "sets a prototype",
      '"__proto__":{"session_id":"s","polluted":1},"constructor":{"prototype":1}',
    ],
    ["has the wrong type", '"session_id":{"toString":1}'],
  ])("refuses a call with an argument that %s, and goes on", async (_, given) => {
    const { stdin, served, write, lines, letGo } = start({ handle: pond.handlers.handle });
    letGo();
    const params = `{"name":"pond_get","arguments":{${given}}}`;
    write(initialize);
    stdin.write(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":${params}}\n`);
    write({ id: 3, method: "ping" });
    stdin.end();

    await served;

    const answers = lines();
    expect(answers.map(({ id }) => id).toSorted()).toEqual([1, 2, 3]);
    const refusal = JSON.stringify(answers.find(({ id }) => id === 2));
    expect(refusal).toMatch(/validation_failed|-32602/);
    expect(refusal.length).toBeLessThan(2_000);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("ends when stdout breaks while an answer waits to be read", async () => {
    const stdin = new PassThrough();
    const stdout = new PassThrough({ highWaterMark: 1 });
    const served = serveStdio(createMcpServer({ handlers: pond.handlers, version: "1" }), {
      stdin,
      stdout,
    });
    stdin.end(`${JSON.stringify({ jsonrpc: "2.0", ...initialize })}\n`);
    await once(stdout, "readable");

    stdout.destroy();

    await expect(served).resolves.toBeUndefined();
  });

  it("reports a failing stdout without crashing the process", async () => {
    const { stdout, served, errors } = start();

    stdout.destroy(new Error("write EPIPE"));

    await served;
    expect(errors).toEqual(["write EPIPE"]);
  });

  it("ends when a line exceeds the maximum size", async () => {
    const { stdin, served, errors } = start();

    stdin.write("x".repeat(11 * 1024 * 1024));

    await served;
    expect(errors).toEqual([expect.stringContaining("maximum size")]);
  });
});
