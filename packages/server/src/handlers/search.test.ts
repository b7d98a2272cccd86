import { type Embedder, ModelNotFoundError } from "@pond/embed";
import type { SearchRequest } from "@pond/wire";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { createHandlers } from "../handlers.ts";
import { chat, testPond } from "../testing.ts";

const pond = testPond();
beforeAll(async () => {
  const many = Array.from({ length: 25 }, (_, at) => chat(`s${at}`, [`needle number ${at}`]));
  const other = chat("other", ["something else"], { agent: "codex", project: "/work/other" });
  await pond.ask("ingest", { events: [...many.flat(), ...other] });
});
afterAll(() => pond.remove());

type Asked = Omit<SearchRequest, "protocol_version">;

test("finds a message by its words and its agent", async () => {
  const answer = await pond.ask("search", { query: "something", agent: "codex" });

  expect(answer).toMatchObject({
    ...{ mode: "full_text", total_in_scope: 1 },
    sessions: [{ session_id: "other", matches: [{ message_id: "m0", text: "something else" }] }],
  });
  expect(answer).not.toHaveProperty("explanation");
});

test.each([
  ["323d", 26],
  ["322d", 0],
])("counts the time from %s ago on", async (since, expected) => {
  const { total_in_scope } = await pond.ask("search", { query: "needle", since });

  expect(total_in_scope).toBe(expected);
});

test("shows every session exactly once over all pages", async () => {
  const ids: string[] = [];
  let after: string | undefined;
  do {
    const answer = await pond.ask("search", { query: "needle", limit: 10, after });
    ids.push(...answer.sessions.map(({ session_id }) => session_id));
    after = answer.next;
  } while (after !== undefined);

  expect(ids.sort()).toEqual(Array.from({ length: 25 }, (_, at) => `s${at}`).sort());
});

test.each<[Asked, string]>([
  [{ query: " " }, "query"],
  [{ query: "-needle" }, "query"],
  [{ query: "needle", agent: "nobody" }, "agent"],
  [{ query: "needle", session: "none" }, "session"],
  [{ query: "needle", project: "" }, "project"],
  [{ query: "needle", since: "yesterday" }, "since"],
  [{ query: "needle", since: "2026-02-01", until: "2026-01-01" }, "until"],
  [{ query: "needle", min_score: Number.POSITIVE_INFINITY }, "min_score"],
  [{ query: "needle", after: "x" }, "after"],
])("refuses %j because of its %s", async (request, field) => {
  await expect(pond.ask("search", request)).rejects.toMatchObject({
    code: "validation_failed",
    details: { field: expect.any(String) },
    message: expect.stringContaining(field),
  });
});

test.each([
  ["a lone surrogate", "\ud800"],
  ["punctuation and a NUL", `'";--\\ %_ \0`],
  ["a million words", "needle ".repeat(1_000_000)],
  ["a word of a million letters", "n".repeat(1_000_000)],
  ["ten thousand brackets", "(".repeat(10_000)],
])("answers a query of %s", async (_, query) => {
  await expect(pond.ask("search", { query })).resolves.toMatchObject({ mode: "full_text" });
});

const missing = new ModelNotFoundError("m", "is not downloaded");

test.each([
  ["and why", missing, true, ": m: is not downloaded"],
  ["but no tenant why", missing, false, ""],
  ["but not what nobody has looked at", new Error("/secret/model is broken"), true, ""],
])("warns that only words were searched when the model cannot be used, %s", async (...given) => {
  const [, embedderFailure, isPersonal, why] = given;
  const handlers = createHandlers({ namespaces: pond.namespaces, embedderFailure, isPersonal });

  const answer = await handlers.handle("search", { protocol_version: 1, query: "needle" });

  const message = `the model cannot be used, so only words were searched${why}`;
  expect(answer.warnings).toEqual([{ code: "embedding_failed", message }]);
  expect(answer.sessions).toHaveLength(10);
});

test("neither asks nor closes a model that has embedded no messages", async () => {
  const { namespaces } = pond;
  const fail = async () => {
    throw new Error("asked");
  };
  const limits = { maxTexts: 1, maxTokens: 1 };
  const embedder: Embedder = { modelId: "m", dimension: 4, limits, embed: fail, close: fail };
  const handlers = createHandlers({ namespaces, embedder });

  const answer = await handlers.handle("search", { protocol_version: 1, query: "needle" });

  expect(answer).toMatchObject({ mode: "full_text" });
  expect(answer).not.toHaveProperty("warnings");
});

test("searches by meaning when messages are embedded by the model", async () => {
  const { store } = await pond.namespaces.open(undefined, "write");
  const vector = new Float32Array(384).fill(384 ** -0.5);
  await store.table("messages").update({
    ...{ session_id: ["other"], id: ["m0"] },
    ...{ vector: [vector], embedding_model: ["m"] },
  });
  const signals: unknown[] = [];
  const embedder: Embedder = {
    ...{ modelId: "m", dimension: 384, limits: { maxTexts: 1, maxTokens: 9 } },
    async embed(_, { signal }) {
      signals.push(signal);
      return [vector];
    },
    close: async () => undefined,
  };
  const handlers = createHandlers({ namespaces: pond.namespaces, embedder });

  const answer = await handlers.handle("search", { protocol_version: 1, query: "vehicles" });

  expect(answer).toMatchObject({
    mode: "hybrid",
    sessions: [{ session_id: "other", matches: [{ score: 0, similarity: expect.closeTo(1, 2) }] }],
  });
  expect(signals).toHaveLength(1);
});

test("tells only an operator why the model failed, and not a tenant", async () => {
  const embedder: Embedder = {
    ...{ modelId: "m", dimension: 384, limits: { maxTexts: 1, maxTokens: 9 } },
    async embed() {
      throw new Error("connect ECONNREFUSED 10.0.0.7:8080");
    },
    close: async () => undefined,
  };
  const withheld: string[] = [];
  const messages = await Promise.all(
    [true, false].map(async (isPersonal) => {
      const handlers = createHandlers({
        ...{ namespaces: pond.namespaces, embedder, isPersonal },
        onWarningWithheld: ({ message }) => withheld.push(message),
      });
      const request = { protocol_version: 1, query: "vehicles" };
      return (await handlers.handle("search", request)).warnings?.map(({ message }) => message);
    }),
  );

  expect(messages).toEqual([
    [expect.stringContaining("10.0.0.7")],
    ["the model cannot be used, so only words were searched"],
  ]);
  // For the operator of the second, who does not see the answer.
  expect(withheld).toEqual([expect.stringContaining("10.0.0.7")]);
});

test("waits for a silent model once, and searches words without a wait the next time", async () => {
  const asked = Promise.withResolvers<void>();
  let times = 0;
  const embedder: Embedder = {
    ...{ modelId: "m", dimension: 384, limits: { maxTexts: 1, maxTokens: 9 } },
    embed() {
      times += 1;
      asked.resolve();
      return new Promise(() => {});
    },
    close: async () => undefined,
  };
  const handlers = createHandlers({ namespaces: pond.namespaces, embedder });
  const request = { protocol_version: 1, query: "something" };
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());

  const first = handlers.handle("search", request);
  await asked.promise;
  await vi.advanceTimersByTimeAsync(20_000);
  const answers = [await first, await handlers.handle("search", request)];

  expect(answers).toEqual(
    answers.map(() =>
      expect.objectContaining({
        mode: "full_text",
        warnings: [expect.objectContaining({ code: "embedding_failed" })],
      }),
    ),
  );
  expect(times).toBe(1);
});

test("rejects when the request is aborted", async () => {
  const signal = AbortSignal.abort(new Error("gone"));

  const asking = pond.handlers.handle("search", { protocol_version: 1, query: "x" }, { signal });

  await expect(asking).rejects.toThrow("gone");
});
