import { describe, expect, it } from "vitest";
import { createHttpServer } from "./server.ts";
import { answering, post, send, sendUntilClosed, withServer } from "./testing.ts";

const search = post("/v1/search", "{}");
const health = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;

describe("stop", () => {
  it("finishes the request being answered, and accepts no more connections", async () => {
    const started = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<object>();
    const handlers = answering(() => {
      started.resolve();
      return finish.promise;
    });
    const seen = await withServer({ handlers }, async ({ port, server }) => {
      const answer = send(port, search);
      await started.promise;
      const stopped = server.stop({ deadlineMs: 60_000 });
      const refused = await send(port, search);
      finish.resolve({ took_ms: 1 });
      return { answer: await answer, refused, isClean: await stopped };
    });

    expect(seen.isClean).toBe(true);
    expect(seen.answer).toMatchObject({ status: 200, body: '{"took_ms":1}' });
    expect(seen.answer.headers["connection"]).toBe("close");
    // The port is closed: there is no answer.
    expect(seen.refused.status).toBe(0);
  });

  it("refuses a request on a connection that was open before", async () => {
    const started = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<object>();
    const stopping = Promise.withResolvers<void>();
    const handlers = answering(() => {
      started.resolve();
      return finish.promise;
    });
    const late = await withServer({ handlers }, async ({ port, server }) => {
      const opened = send(port, stopping.promise, search);
      const answer = send(port, search);
      await started.promise;
      const stopped = server.stop({ deadlineMs: 60_000 });
      stopping.resolve();
      const late = await opened;
      finish.resolve({});
      await Promise.all([answer, stopped]);
      return late;
    });

    expect(late).toMatchObject({ status: 503, code: "storage_unavailable", kind: "stopping" });
    expect(late.headers["retry-after"]).toBe("1");
    expect(late.headers["connection"]).toBe("close");
  });

  it("ends a server that is just about to listen", async () => {
    const server = createHttpServer({ handlers: answering(async () => ({})), port: 0 });
    const listening = server.listen();

    const isClean = await server.stop();

    const { url } = await listening;
    await expect(fetch(`${url}/healthz`)).rejects.toThrow("fetch failed");
    expect(isClean).toBe(true);
  });

  it("is final: the server cannot listen afterwards", async () => {
    const server = createHttpServer({ handlers: answering(async () => ({})), port: 0 });
    await server.stop();

    await expect(server.listen()).rejects.toThrow(TypeError);
  });

  it("ends unanswered requests at the deadline, and reports that it did", async () => {
    const started = Promise.withResolvers<AbortSignal | undefined>();
    const handlers = answering((_operation, _request, { signal }) => {
      started.resolve(signal);
      return new Promise(() => undefined);
    });
    const seen = await withServer({ handlers }, async ({ port, server }) => {
      const answer = send(port, search);
      const signal = await started.promise;
      const isClean = await server.stop({ deadlineMs: 0 });
      return { answer: await answer, isClean, isAborted: signal?.aborted };
    });

    expect(seen).toMatchObject({
      isClean: false,
      isAborted: true,
      answer: { status: 503, code: "storage_unavailable", kind: "stopping" },
    });
    expect(seen.answer.headers["retry-after"]).toBe("1");
  });

  it("waits for work whose client has left, because it may be writing", async () => {
    const started = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<object>();
    let isWritten = false;
    const handlers = answering(async (_operation, _request, { signal }) => {
      signal?.addEventListener("abort", () => left.resolve());
      started.resolve();
      await finish.promise;
      isWritten = true;
    });
    const isClean = await withServer({ handlers }, async ({ url, server }) => {
      const controller = new AbortController();
      const { signal } = controller;
      const headers = { "content-type": "application/json" };
      const asked = fetch(`${url}/v1/ingest`, { method: "POST", headers, body: "{}", signal });
      await started.promise;
      controller.abort();
      await expect(asked).rejects.toThrow();
      await left.promise;
      const stopped = server.stop({ deadlineMs: 60_000 });
      finish.resolve({});
      return stopped;
    });

    expect({ isClean, isWritten }).toEqual({ isClean: true, isWritten: true });
  });

  it("does not wait for connections without a whole request", async () => {
    const isClean = await withServer({}, async ({ port, server }) => {
      const silent = sendUntilClosed(port);
      const half = sendUntilClosed(port, "POST /v1/search HTTP/1.1\r\n");
      await send(port, health("/healthz"));
      const isClean = await server.stop({ deadlineMs: 60_000 });
      await Promise.all([silent, half]);
      return isClean;
    });

    expect(isClean).toBe(true);
  });

  it("can be called twice, and before any request", async () => {
    const results = await withServer({}, ({ server }) =>
      Promise.all([server.stop(), server.stop()]),
    );

    expect(results).toEqual([true, true]);
  });
});

describe("readiness", () => {
  it("follows the check that the server was given, and hides why it failed", async () => {
    let failure: Error | undefined;
    const checkReady = async (): Promise<void> => {
      if (failure) throw failure;
    };
    const answers = await withServer({ checkReady }, async ({ port }) => {
      const ready = await send(port, health("/readyz"));
      failure = new Error("the disk is at /home/someone");
      return {
        ready,
        unready: await send(port, health("/readyz")),
        live: await send(port, health("/healthz")),
      };
    });

    expect(answers).toMatchObject({
      ready: { status: 200, body: '{"status":"ready"}' },
      unready: { status: 503, code: "storage_unavailable", kind: "not_ready" },
      live: { status: 200, body: '{"status":"ok"}' },
    });
    expect(answers.unready.body).not.toContain("someone");
  });

  it("is told to a probe under any host name", async () => {
    const answer = await withServer({}, ({ port }) =>
      send(port, "GET /readyz HTTP/1.1\r\nhost: 10.1.2.3:80\r\n\r\n"),
    );

    expect(answer.status).toBe(200);
  });
});
