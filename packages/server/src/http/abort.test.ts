import { once } from "node:events";
import { connect } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { answering, post, withServer } from "./testing.ts";

it("cancels a request whose client has gone", async () => {
  const started = Promise.withResolvers<AbortSignal | undefined>();
  const cancelled = Promise.withResolvers<string>();
  const handlers = answering((_operation, _request, { signal }) => {
    started.resolve(signal);
    return new Promise((_, reject) => {
      signal?.addEventListener("abort", () => {
        cancelled.resolve(signal.reason.name);
        reject(signal.reason);
      });
    });
  });
  const seen = await withServer({ handlers }, async ({ url, lines, server }) => {
    const controller = new AbortController();
    const asked = ask(url, controller.signal);
    const signal = await started.promise;
    const before = signal?.aborted;
    controller.abort();
    await expect(asked).rejects.toThrow();
    const reason = await cancelled.promise;
    await server.stop();
    return { before, reason, lines };
  });

  expect(seen).toMatchObject({ before: false, reason: "ClientGoneError" });
  expect(seen.lines.map((line) => JSON.parse(line)).at(-1)).toMatchObject({
    operation: "search",
    status: 499,
    code: "client_gone",
  });
});

it("gives the place of a client that left to the next request", async () => {
  let count = 0;
  const first = Promise.withResolvers<void>();
  const handlers = answering(async (_operation, _request, { signal }) => {
    count += 1;
    if (count > 1) return { count };
    first.resolve();
    return new Promise((_, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason));
    });
  });
  const concurrency = { search: { running: 1, waiting: 5 } };
  const answer = await withServer({ handlers, limits: { concurrency } }, async ({ url }) => {
    const controller = new AbortController();
    const asked = ask(url, controller.signal);
    await first.promise;
    const second = ask(url);
    controller.abort();
    await expect(asked).rejects.toThrow();
    return (await second).json();
  });

  expect(answer).toEqual({ count: 2 });
});

it("does not abort the signal of a request that was answered", async () => {
  let kept: AbortSignal | undefined;
  const handlers = answering(async (_operation, _request, { signal }) => {
    kept = signal;
    return {};
  });
  await withServer({ handlers }, async ({ url }) => {
    await (await ask(url)).text();
  });

  expect(kept?.aborted).toBe(false);
});

it("survives the reset of a connection with a half-sent request behind a waiting one", async () => {
  const uncaught: unknown[] = [];
  const note = (error: unknown): void => void uncaught.push(error);
  process.on("uncaughtException", note);
  onTestFinished(() => void process.off("uncaughtException", note));
  const started = Promise.withResolvers<void>();
  const handlers = answering((_operation, _request, { signal }) => {
    started.resolve();
    return new Promise((_, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason));
    });
  });
  const codes = await withServer({ handlers }, async ({ port, lines, server }) => {
    const socket = connect(port, "127.0.0.1");
    const half = post("/v1/search", "{}", { "content-length": "100" });
    socket.write(Buffer.concat([post("/v1/search", "{}"), half]));
    await started.promise;
    socket.resetAndDestroy();
    await once(socket, "close");
    await server.stop();
    return lines.map((line) => JSON.parse(line).code).filter(Boolean);
  });

  expect(uncaught).toEqual([]);
  expect(codes).toEqual(["client_gone", "client_gone"]);
});

function ask(url: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${url}/v1/search`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
    ...(signal !== undefined && { signal }),
  });
}
