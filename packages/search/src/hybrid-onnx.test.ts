// Alone: asks what the process has loaded.
import { createRequire } from "node:module";
import { type Embedder, openEmbedder } from "@pond/embed";
import { ModelFolder } from "@pond/embed-testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { search } from "./search.ts";
import { embedAll, storeOf, type TestStore } from "./testing.ts";

const isRuntimeLoaded = (): boolean =>
  Object.keys(createRequire(import.meta.url).cache).some((file) => file.includes("onnxruntime"));

let model: ModelFolder;
let embedder: Embedder;
let store: TestStore;

beforeAll(async () => {
  model = await ModelFolder.with({ dimension: 384, words: ["zebra", "crossing", "striped"] });
  embedder = await openEmbedder({ kind: "folder", folder: model.path });
  store = await storeOf([
    { id: "zebra", texts: ["a striped zebra", "at the crossing"] },
    { id: "zebras", texts: ["zebra-striped crossings for pedestrians"] },
    { id: "bread", texts: ["flour and water", "索引为什么是空的"] },
  ]);
});
afterAll(async () => {
  store.remove();
  await embedder.close();
  model.remove();
});

describe("hybrid search with an ONNX model", () => {
  it("does not load the ONNX runtime while nothing is embedded", async () => {
    const { mode } = await search(store.sessions, { query: "zebra" }, { embedder });

    expect(mode).toBe("full_text");
    expect(isRuntimeLoaded()).toBe(false);
  });

  it("finds texts that share pieces of words, and ranks the same text first", async () => {
    await embedAll(store.sessions, embedder);
    const near = await search(store.sessions, { query: "zebracrossing" }, { embedder });
    const same = await search(store.sessions, { query: "flour and water" }, { embedder });

    expect(isRuntimeLoaded()).toBe(true);
    expect(near.mode).toBe("hybrid");
    expect(near.sessions.map(({ session_id }) => session_id)).toHaveLength(3);
    expect(near.sessions[0]?.matches[0]).toMatchObject({ score: 0 });
    expect(same.sessions[0]?.matches[0]).toMatchObject({ message_id: "bread-0" });
    expect(same.sessions[0]?.matches[0]?.similarity).toBeGreaterThan(0.98);
  });

  it("embeds several queries at once", async () => {
    const queries = ["zebra", "flour", "crossing", "索引", "pedestrian", "striped water"];
    const answers = await Promise.all(
      queries.map((query) => search(store.sessions, { query }, { embedder })),
    );

    expect(answers.map(({ mode }) => mode)).toEqual(queries.map(() => "hybrid"));
  });
});
