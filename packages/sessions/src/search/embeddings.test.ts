import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, type TableDeclaration } from "@pond/substrate";
import { describe, expect, it } from "vitest";
import { statistics } from "../read/statistics.ts";
import type { SessionStore } from "../session-store.ts";
import { sessionTables } from "../tables.ts";
import { ingestDemo, said, withStore } from "../testing.ts";
import {
  countBacklog,
  prepareEmbeddings,
  readBacklog,
  readTexts,
  writeEmbeddings,
} from "./embeddings.ts";

const model = { modelId: "m1", dimension: 8 };
const proven = async (): Promise<void> => {};

/** Two sessions with three messages that search can find. */
async function ingestThree(sessions: SessionStore): Promise<void> {
  await ingestDemo(sessions, [
    { id: "a", messages: [said("1"), { id: "2", role: "tool", text: "x" }, said("3")] },
    { id: "b", messages: [said("1", "pond")] },
  ]);
}

/** Gives the first messages of the backlog a vector, as many as `limit`. */
async function embed(sessions: SessionStore, modelId: string, limit: number): Promise<number> {
  const messages = await readBacklog(sessions, modelId, limit);
  const vectors = messages.map((message) => ({ message, vector: new Float32Array(8).fill(0.5) }));
  return writeEmbeddings(sessions, modelId, vectors);
}

describe("the embedding backlog", () => {
  it("holds searchable messages that have no vector of the model", () =>
    withStore(async (sessions) => {
      await ingestThree(sessions);
      await prepareEmbeddings(sessions, model, false, proven);
      await embed(sessions, "m1", 2);

      const left = await readBacklog(sessions, "m1", 10);
      const texts = await readTexts(sessions, "m1", left);

      expect([await countBacklog(sessions, "m1"), await countBacklog(sessions, "m2")]).toEqual([
        1, 3,
      ]);
      expect(left.map(({ sessionId, id }) => [sessionId, id])).toEqual([["b", "1"]]);
      expect(texts.map(({ text }) => text)).toEqual(["pond"]);
    }));

  it("is checked again for texts and before writing, as another process may have embedded some", () =>
    withStore(async (sessions) => {
      await ingestThree(sessions);
      await prepareEmbeddings(sessions, model, false, proven);
      const seen = await readBacklog(sessions, "m1", 10);
      await embed(sessions, "m1", 2);

      const texts = await readTexts(sessions, "m1", seen);
      const vector = new Float32Array(8).fill(-1);
      const written = await writeEmbeddings(
        sessions,
        "m1",
        seen.map((message) => ({ message, vector })),
      );

      expect(texts.map(({ message }) => message)).toEqual(seen.slice(2));
      expect(written).toBe(1);
      const rows = await sessions.store.table("messages").rows({ columns: ["vector"] });
      const firsts = rows.map((row) => (row["vector"] as Float32Array | null)?.[0]);
      expect(firsts).toEqual([0.5, undefined, 0.5, -1]);
    }));
});

describe("prepareEmbeddings", () => {
  it.each([
    ["keeps vectors of the same model and dimension", model, false, [{ model: "m1", messages: 3 }]],
    ["empties vectors of another dimension", { ...model, dimension: 4 }, false, []],
    ["empties all vectors when forced", model, true, []],
    [
      "keeps vectors of another model until they are replaced",
      { modelId: "m2", dimension: 8 },
      false,
      [{ model: "m1", messages: 3 }],
    ],
  ])("%s", (_, next, isForced, embeddings) =>
    withStore(async (sessions) => {
      await ingestThree(sessions);
      await prepareEmbeddings(sessions, model, false, proven);
      await embed(sessions, "m1", 10);

      await prepareEmbeddings(sessions, next, isForced, proven);

      expect(await statistics(sessions)).toMatchObject({
        embeddings,
        embedded: embeddings[0]?.messages ?? 0,
      });
      const table = sessions.store.table("messages");
      expect(await table.vectorDimension("vector")).toBe(next.dimension);
    }),
  );

  it.each([
    ["one of another dimension", { modelId: "m2", dimension: 4 }, false],
    ["another one of the same dimension", { modelId: "m2", dimension: 8 }, false],
    ["the same model, forced", model, true],
  ])("keeps all vectors when the new model does not work: %s", (_, next, isForced) =>
    withStore(async (sessions) => {
      await ingestThree(sessions);
      await prepareEmbeddings(sessions, model, false, proven);
      await embed(sessions, "m1", 10);
      const prove = async (): Promise<void> => {
        throw new Error("half a model");
      };

      const prepared = prepareEmbeddings(sessions, next, isForced, prove);

      await expect(prepared).rejects.toThrow("half a model");
      expect(await statistics(sessions)).toMatchObject({
        embeddings: [{ model: "m1", messages: 3 }],
      });
      expect(await sessions.store.table("messages").vectorDimension("vector")).toBe(8);
    }),
  );
});

it.each([
  ["one of another dimension", { modelId: "m2", dimension: 4 }, false],
  ["the same model, forced", model, true],
])(
  "writes nothing if the new model does not work and there are no vectors yet: %s",
  (_, next, isForced) =>
    withStore(async (sessions) => {
      await ingestThree(sessions);
      await prepareEmbeddings(sessions, model, false, proven);
      const messages = sessions.store.table("messages");
      const before = await messages.version();
      const prove = async (): Promise<void> => {
        throw new Error("half a model");
      };

      const prepared = prepareEmbeddings(sessions, next, isForced, prove);

      await expect(prepared).rejects.toThrow("half a model");
      expect(await messages.version()).toBe(before);
      expect(await messages.vectorDimension("vector")).toBe(8);
    }),
);

it("drops an index trained on another model's vectors before there are new vectors", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pond-sessions-"));
  const store = await openStore(folder, { tables: withSmallVectorIndex(300), mode: "write" });
  const sessions: SessionStore = { store, close: () => store.close() };
  const messages = Array.from({ length: 300 }, (_, at) => said(`${at}`));
  await ingestDemo(sessions, [{ id: "a", messages }]);
  await prepareEmbeddings(sessions, model, false, proven);
  await embed(sessions, "m1", 300);
  const hasIndex = async (): Promise<boolean> => {
    const { indexes } = await store.table("messages").health();
    return indexes.some(({ column }) => column === "vector");
  };
  await store.table("messages").fold({ isForced: true });
  const states = [await hasIndex()];

  await prepareEmbeddings(sessions, model, false, proven);
  states.push(await hasIndex());
  await prepareEmbeddings(sessions, { ...model, modelId: "m2" }, false, proven);
  states.push(await hasIndex());

  expect(states).toEqual([true, true, false]);
  sessions.close();
  rmSync(folder, { recursive: true });
});

/** The tables of the sessions, with a vector index from so many rows on. */
function withSmallVectorIndex(minRows: number): TableDeclaration[] {
  return sessionTables.map((table) => ({
    ...table,
    indexes: table.indexes.map((index) =>
      index.kind === "vector" ? { ...index, minRows } : index,
    ),
  }));
}

it("counts the messages that each model embedded, the largest count first", () =>
  withStore(async (sessions) => {
    await ingestThree(sessions);
    await prepareEmbeddings(sessions, model, false, proven);
    await embed(sessions, "m1", 10);
    await embed(sessions, "m2", 2);

    const { embedded, embeddings } = await statistics(sessions);

    expect([embedded, embeddings]).toEqual([
      3,
      [
        { model: "m2", messages: 2 },
        { model: "m1", messages: 1 },
      ],
    ]);
  }));
