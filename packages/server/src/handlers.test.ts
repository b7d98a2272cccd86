import { ConflictError, StorageUnavailableError } from "@pond/substrate";
import { errorCodes, type OperationName, operations } from "@pond/wire";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createHandlers } from "./handlers.ts";
import type { Namespaces } from "./namespaces.ts";
import { chat, testPond } from "./testing.ts";

const pond = testPond();
beforeAll(() => pond.ask("ingest", { events: chat("a", ["x"]) }));
afterAll(() => pond.remove());

const v1 = { protocol_version: 1 };
const sound: Readonly<Record<OperationName, object>> = {
  search: { ...v1, query: "x" },
  list: v1,
  get: { ...v1, session_id: "a" },
  ingest: { ...v1, events: [] },
  status: v1,
  restore: { ...v1, session_id: "a", to: "codex" },
};
const names = Object.keys(operations) as OperationName[];

function failing(error: unknown): Namespaces {
  const fail = async () => {
    throw error;
  };
  return { open: fail, close: async () => undefined };
}

describe.each(names)("%s", (name) => {
  test.each([
    ["version_unsupported", { ...sound[name], protocol_version: 2 }],
    ["validation_failed", { ...sound[name], extra: 1 }],
    ["validation_failed", { ...sound[name], protocol_version: undefined }],
    ["validation_failed", [sound[name]]],
    ["namespace_unknown", { ...sound[name], namespace: "other" }],
    ["namespace_unknown", { ...sound[name], namespace: "../default" }],
  ])("rejects a bad request with %s", async (code, request) => {
    await expect(pond.handlers.handle(name, request)).rejects.toMatchObject({ code });
  });

  test.each([
    ["storage_unavailable", new StorageUnavailableError("s3://secret", "timeout")],
    ["conflict", new ConflictError("messages", 5)],
    ["internal", new TypeError("secret")],
  ])("rejects with %s when opening the store fails, and reveals no secret", async (code, cause) => {
    const handlers = createHandlers({ namespaces: failing(cause) });

    const error = await handlers
      .handle(name, sound[name], { requestId: "r1" })
      .catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code, cause });
    expect(JSON.stringify(error) + String(error)).not.toContain("secret");
    expect(Object.keys(errorCodes)).toContain(code);
  });

  test("opens no store for an aborted request", async () => {
    const reason = new DOMException("gone", "TimeoutError");
    const signal = AbortSignal.abort(reason);
    const handlers = createHandlers({ namespaces: failing(new Error("asked")) });

    await expect(handlers.handle(name, sound[name], { signal })).rejects.toBe(reason);
  });

  test("accepts the default namespace by its name", async () => {
    const request = { ...sound[name], namespace: "default" };
    const isRestore = name === "restore";

    const answer = await pond.handlers.handle(name, request).catch((error: unknown) => error);

    expect(answer).toMatchObject(isRestore ? { code: "validation_failed" } : {});
    if (!isRestore) expect(answer).not.toBeInstanceOf(Error);
  });
});

test.each(["delete", "__proto__", "constructor", ""])(
  "refuses an unknown operation: %s",
  async (name) => {
    await expect(pond.handlers.handle(name as OperationName, v1)).rejects.toMatchObject({
      code: "validation_failed",
      message: "there is no such operation",
    });
  },
);

test("passes an error on unchanged when the request was aborted meanwhile", async () => {
  const stop = new AbortController();
  const cause = new Error("broken off");
  const namespaces: Namespaces = {
    async open() {
      stop.abort();
      throw cause;
    },
    close: async () => undefined,
  };

  const asking = createHandlers({ namespaces }).handle("status", v1, { signal: stop.signal });

  await expect(asking).rejects.toBe(cause);
});
