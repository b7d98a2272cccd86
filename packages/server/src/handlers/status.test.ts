import { join } from "node:path";
import { type Embedder, ModelNotFoundError } from "@pond/embed";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createHandlers, type HandlersOptions } from "../handlers.ts";
import { chat, testPond } from "../testing.ts";

const pond = testPond();
beforeAll(() => pond.ask("ingest", { events: chat("a", ["one", "two"]) }));
afterAll(() => pond.remove());

const v1 = { protocol_version: 1 };

test("counts sessions, messages and parts, also by agent and by project", async () => {
  expect(await pond.ask("status", {})).toMatchObject({
    ...{ namespace: "default", sessions: 1, messages: 2, parts: 2, searchable: 2, embedded: 0 },
    by_agent: { "claude-code": { sessions: 1, messages: 2 } },
    by_project: { "/work/pond": { sessions: 1, messages: 2 } },
    embedding: { enabled: false, reason: "no embedding model is configured" },
    advice: [{ code: "indexes_behind" }],
  });
});

test("reports how many messages the configured model has yet to embed", async () => {
  const limits = { maxTexts: 1, maxTokens: 1 };
  const unused = async () => [];
  const embedder: Embedder = {
    ...{ modelId: "m", dimension: 4, limits, embed: unused },
    close: async () => undefined,
  };
  const { namespaces } = pond;
  const own = createHandlers({ namespaces, embedder, isPersonal: true });
  const hosted = createHandlers({ namespaces, embedder });

  const { embedding, advice } = await own.handle("status", v1);
  const { advice: toTenant } = await hosted.handle("status", v1);

  expect(embedding).toEqual({ enabled: true, model: "m", dimension: 4, embedded: 0, missing: 2 });
  expect(advice.map(({ message }) => message)).toContain(
    "2 messages are not embedded by m: `pond sync` does it.",
  );
  // A tenant has no store to sync.
  expect(toTenant.map(({ code }) => code)).toEqual(advice.map(({ code }) => code));
  expect(JSON.stringify(toTenant)).not.toContain("pond sync");
});

test("reports that the configured model cannot be used, without the details of an unforeseen error", async () => {
  const embedderFailure = new Error("/secret/model is broken");
  const options = { namespaces: pond.namespaces, embedderFailure, isPersonal: true };
  const handlers = createHandlers(options);

  const { embedding, advice } = await handlers.handle("status", v1);

  expect(embedding).toMatchObject({ enabled: true, error: { code: "internal" } });
  expect(JSON.stringify([embedding, advice])).not.toContain("secret");
});

describe("the location of the store and of the model", () => {
  const reason = "/secret/config.toml:3 switches it off";
  const missing = new ModelNotFoundError("/secret/model", "is no folder");
  const models: [string, Partial<HandlersOptions>, object][] = [
    ["when there is no model", { noEmbedderReason: reason }, { enabled: false, reason }],
    [
      "when the model is missing",
      { embedderFailure: missing },
      {
        enabled: true,
        error: { message: missing.message, details: { kind: "model_not_found" } },
      },
    ],
  ];

  test.each(models)("is told to the operator %s", async (_, options, embedding) => {
    const { namespaces, folder } = pond;
    const handlers = createHandlers({ namespaces, isPersonal: true, ...options });

    const status = await handlers.handle("status", v1);

    expect(status.location).toBe(join(folder, "store"));
    expect(status.embedding).toMatchObject(embedding);
  });

  test.each(models)("is not told to a tenant %s", async (_, options) => {
    const { namespaces, folder } = pond;
    const handlers = createHandlers({ namespaces, ...options });

    const status = await handlers.handle("status", v1);

    expect(status.location).toBe("");
    expect(JSON.stringify(status)).not.toMatch(/secret/);
    expect(JSON.stringify(status)).not.toContain(folder);
  });
});

test("advises what to do about an empty pond, and reports a missing one as not_found", async () => {
  const empty = testPond();
  await expect(empty.ask("status", {})).rejects.toMatchObject({
    code: "not_found",
    details: { kind: "store_not_found" },
  });

  await empty.ask("ingest", { events: [] });

  expect((await empty.ask("status", {})).advice).toMatchObject([{ code: "empty" }]);
  await empty.remove();
});
