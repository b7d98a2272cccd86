import { type Embedder, EmbeddingError } from "@pond/embed";
import { expect, test } from "vitest";
import { withEmbeddingFailureLog } from "./embedding-failures.ts";
import { createLog } from "./log.ts";

function failing(error: unknown, log: string[]): Embedder {
  const embedder: Embedder = {
    modelId: "m",
    dimension: 3,
    limits: { maxTexts: 1, maxTokens: 512 },
    embed: () => Promise.reject(error),
    close: async () => undefined,
  };
  return withEmbeddingFailureLog(
    embedder,
    createLog("info", [], (line) => log.push(line)),
  );
}

const refused = new EmbeddingError({
  model: "m",
  reason: "the endpoint answered 401",
  isOfEveryText: true,
});

test.each([
  ["an endpoint that refuses the request", refused, "answered 401"],
  [
    "an endpoint that takes too long",
    new DOMException("time was up", "TimeoutError"),
    "no vector within the time",
  ],
])("the operator is told of %s", async (_, error, message) => {
  const log: string[] = [];

  await expect(failing(error, log).embed(["asked"], { kind: "query" })).rejects.toBe(error);

  expect(log).toHaveLength(1);
  expect(log[0]).toMatch(/^\{"level":50,.*"msg":"embeddings do not answer"\}\n$/);
  expect(log[0]).toContain(message);
});

test("nothing is logged when a client has left", async () => {
  const log: string[] = [];
  const left = new DOMException("the client left", "AbortError");

  await expect(failing(left, log).embed(["asked"], { kind: "query" })).rejects.toBe(left);

  expect(log).toEqual([]);
});
