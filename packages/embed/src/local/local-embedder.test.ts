import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { buildTestModel, cosineSimilarity, ModelFolder } from "@pond/embed-testkit";
import type * as Runtime from "onnxruntime-node";
import { afterEach, describe, expect, it } from "vitest";
import type { Embedder } from "../embedder.ts";
import { openEmbedder } from "../open-embedder.ts";
import type { FolderSettings } from "../settings.ts";
import { openFolderModel } from "./folder-model.ts";
import { type LoadedModel, loadModel } from "./loaded-model.ts";
import { LocalEmbedder } from "./local-embedder.ts";

let folder: ModelFolder;
let embedder: Embedder | undefined;
afterEach(async () => {
  await embedder?.close();
  folder.remove();
});

async function openWith(
  model: Parameters<typeof ModelFolder.with>[0],
  settings: Partial<FolderSettings> = {},
  change: (its: ModelFolder) => void = () => {},
): Promise<Embedder> {
  folder = await ModelFolder.with(model);
  change(folder);
  embedder = await openEmbedder({ kind: "folder", folder: folder.path, ...settings });
  return embedder;
}

const passage = { kind: "passage" } as const;
const texts = [
  "the lock file is stale",
  "delete the stale lock file",
  "grandmother bakes bread on sunday",
  "",
  "数据库锁定了",
  "数据库 索引",
  "x ".repeat(400),
  "\ud800 half a character",
];

describe("vectors", () => {
  it.each([
    ["token outputs", {}],
    ["token outputs with CLS pooling", { pooling: "cls" }],
    ["a text output", { output: "sentence_embedding" }],
    ["a text output under an exporter's name", { output: "embeddings" }],
    ["token outputs in half precision", { numbers: "float16" }],
    ["token outputs of weights in a separate file", { weightsFile: "model.onnx_data" }],
    ["token outputs from ids alone", { inputs: ["input_ids"] }],
    ["token outputs from ids and mask", { inputs: ["input_ids", "attention_mask"] }],
    [
      "token outputs from ids, mask and positions",
      { inputs: ["input_ids", "attention_mask", "position_ids"] },
    ],
  ] as const)("are of unit length and do not depend on the batch: %s", async (_, model) => {
    const { embed, dimension } = bound(await openWith({ dimension: 24, ...model }));

    const together = await embed(texts, passage);

    expect(together).toHaveLength(texts.length);
    for (const [at, text] of texts.entries()) {
      const [alone] = await embed([text], passage);
      expect(alone).toHaveLength(dimension);
      expect(cosineSimilarity(alone, alone)).toBeCloseTo(1, 5);
      expect(cosineSimilarity(alone, together[at])).toBeCloseTo(1, 5);
    }
  });

  it("are the normalised mean of the graph's output", async () => {
    const { embed } = bound(await openWith({ dimension: 6, words: ["alpha", "beta"] }));
    const runtime: typeof Runtime = createRequire(import.meta.url)("onnxruntime-node");
    const session = await runtime.InferenceSession.create(folder.file("model.onnx"));
    // [CLS] alpha beta [SEP]
    const ids = BigInt64Array.of(2n, 4n, 5n, 3n);
    const feed = new runtime.Tensor("int64", ids, [1, 4]);
    const raw = await session.run({ input_ids: feed, attention_mask: feed, token_type_ids: feed });
    const rows = raw["last_hidden_state"]?.data as Float32Array;
    const mean = [0, 1, 2, 3, 4, 5].map(
      (at) => [0, 6, 12, 18].reduce((sum, row) => sum + (rows[row + at] ?? 0), 0) / 4,
    );
    const length = Math.hypot(...mean);

    const [vector] = await embed(["Alpha beta"], passage);

    expect([...(vector ?? [])]).toEqual(mean.map((value) => expect.closeTo(value / length, 6)));
  });

  it("are nearer for texts that share words, and equal for none but the same", async () => {
    const { embed } = bound(await openWith({}));

    const vectors = await embed(texts, passage);

    const [stale, remove, bread, , locked, index] = vectors;

    expect(cosineSimilarity(stale, remove)).toBeGreaterThan(0.7);
    expect(cosineSimilarity(stale, bread)).toBeLessThan(0.4);
    expect(cosineSimilarity(locked, index)).toBeGreaterThan(cosineSimilarity(locked, bread));
    const [again] = await embed(texts.slice(0, 1), passage);
    expect(cosineSimilarity(again, stale)).toBeCloseTo(1, 6);
    for (const [at, vector] of vectors.entries()) {
      for (const other of vectors.slice(at + 1))
        expect(cosineSimilarity(vector, other)).toBeLessThan(0.99);
    }
  });

  it("in half precision equal those of the full-precision model", async () => {
    const whole = await openWith({ dimension: 24 });
    const expected = await whole.embed(texts, passage);
    await whole.close();
    folder.remove();

    const half = await openWith({ dimension: 24, numbers: "float16" });

    for (const [at, vector] of (await half.embed(texts, passage)).entries()) {
      expect(cosineSimilarity(vector, expected[at])).toBeCloseTo(1, 5);
    }
  });

  it("differ between a query and a passage because of their prefixes", async () => {
    const settings = { queryPrefix: "query: ", passagePrefix: "passage: " };
    const { embed } = bound(await openWith({}, settings));

    const [asked] = await embed(["lock"], { kind: "query" });
    const [said] = await embed(["query: lock", "lock"], passage);

    expect(cosineSimilarity(asked, said)).toBeLessThan(0.99);
  });

  it("are of lower-cased texts if the folder asks for it and its tokenizer does not do it", async () => {
    const { embed } = bound(
      await openWith({ words: ["lock"] }, {}, (its) => {
        its.edit("tokenizer.json", { normalizer: null });
        its.write("sentence_bert_config.json", { do_lower_case: true });
      }),
    );

    const [small, large] = await embed(["lock", "LOCK"], passage);

    expect(large).toEqual(small);
  });

  it("are of the first tokens of a text and its end token", async () => {
    const words = ["one", "two", "three", "four"];
    const { embed, limits } = bound(await openWith({ words, maxTokens: 4 }));

    const [long, short, other] = await embed(
      ["one two three four", "one two", "one three"],
      passage,
    );

    expect(limits.maxTokens).toBe(4);
    expect(long).toEqual(short);
    expect(cosineSimilarity(long, other)).toBeLessThan(0.99);
  });

  it("are none for no texts, without loading anything", async () => {
    const { embed } = bound(await openWith({}, {}, (its) => its.write("tokenizer.json", "{}")));

    expect(await embed([], passage)).toEqual([]);
  });
});

describe("embedding fails for", () => {
  it.each<[string, Parameters<typeof ModelFolder.with>[0], (its: ModelFolder) => void, RegExp]>([
    [
      "a model whose dimension differs from its configuration",
      { dimension: 8 },
      (its) => {
        its.edit("config.json", { hidden_size: 16 });
        its.remove("1_Pooling");
      },
      /is float32 \[1,3,8\], and should be float32 \[1,3,16\]/,
    ],
    [
      "a tokenizer with more tokens than the configured vocabulary",
      {},
      (its) => its.edit("config.json", { vocab_size: 100 }),
      /tokenizer has \d+ tokens, the model 100: they do not belong together/,
    ],
    [
      "a tokenizer with ids beyond the rows of the model",
      {},
      (its) => {
        const shifted = { vocab: { "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, a: 4, hm: 999_999 } };
        its.edit("tokenizer.json", {
          model: {
            type: "WordPiece",
            unk_token: "[UNK]",
            continuing_subword_prefix: "##",
            ...shifted,
          },
        });
        its.edit("config.json", { vocab_size: 1_000_000 });
      },
      /tokens that the model does not know/,
    ],
    [
      "an unsupported input",
      { inputs: ["input_ids", "pixel_values"] },
      () => {},
      /an input "pixel_values" \(int64\), which is not supported/,
    ],
    [
      "an output that is no vector of a text or token",
      { output: "pooler_output" },
      () => {},
      /gives pooler_output, and no vector of a text or a token/,
    ],
    [
      "a damaged tokenizer",
      {},
      (its) => its.write("tokenizer.json", { version: "1.0" }),
      /tokenizer\.json is damaged/,
    ],
    [
      "a file that is not ONNX",
      {},
      (its) => its.write("model.onnx", "<!doctype html>"),
      /the runtime refuses its ONNX file/,
    ],
    [
      "a token limit that leaves no room for a text",
      { maxTokens: 2 },
      () => {},
      /2 tokens leave no room/,
    ],
  ])("%s", async (_, model, change, message) => {
    const { embed } = bound(await openWith(model, {}, change));

    await expect(embed(["hm"], passage)).rejects.toMatchObject({
      code: "model_invalid",
      message: expect.stringMatching(message),
    });
  });

  it("more texts than the limit", async () => {
    const { embed, limits } = bound(await openWith({}));

    await expect(embed(Array(limits.maxTexts + 1).fill("a"), passage)).rejects.toThrow(RangeError);
  });
});

describe("a local model", () => {
  /** Counts what is loaded and released; runs of the model wait for `gate`. */
  async function watched(idleMs: number) {
    folder = await ModelFolder.with({ dimension: 8 });
    const seen = { loaded: 0, released: 0, runs: 0, gate: Promise.resolve() };
    let whenReleased = Promise.withResolvers<void>();
    const open = () => openFolderModel({ kind: "folder", folder: folder.path });
    const local = new LocalEmbedder(
      await open(),
      open,
      { idleMs },
      async (...given): Promise<LoadedModel> => {
        seen.loaded++;
        const model = await loadModel(...given);
        return {
          ...model,
          run: async (batch) => {
            seen.runs++;
            await seen.gate;
            return model.run(batch);
          },
          release: async () => {
            await model.release();
            seen.released++;
            whenReleased.resolve();
            whenReleased = Promise.withResolvers();
          },
        };
      },
    );
    embedder = local;
    return { local, seen, released: () => whenReleased.promise };
  }

  it("is loaded once for concurrent calls", async () => {
    const { local, seen } = await watched(60_000);

    await Promise.all(texts.map((text) => local.embed([text], passage)));

    expect(seen.loaded).toBe(1);
  });

  it("is released when idle, and loaded again on demand", async () => {
    const { local, seen, released } = await watched(0);
    const [before] = await local.embed(["lock"], passage);
    await released();

    const [after] = await local.embed(["lock"], passage);

    expect(after).toEqual(before);
    expect(seen).toMatchObject({ loaded: 2, released: 1 });
  });

  it.each<[string, (its: ModelFolder) => unknown]>([
    [
      "model of the same dimension",
      ({ path }) => buildTestModel(path, { dimension: 8, words: ["heron"] }),
    ],
    ["model of a different dimension", ({ path }) => buildTestModel(path, { dimension: 16 })],
    [
      "query prefix",
      (its) => its.write("config_sentence_transformers.json", { prompts: { query: "q" } }),
    ],
  ])("is not loaded again if its folder now holds another %s", async (_, change) => {
    const { local, released } = await watched(0);
    await local.embed(["lock"], passage);
    await released();

    await change(folder);

    await expect(local.embed(["lock"], passage)).rejects.toMatchObject({
      code: "model_invalid",
      message: expect.stringContaining("which was opened; open it again"),
    });
  });

  it("is loaded again after a failed load", async () => {
    const { embed } = bound(await openWith({}));
    const whole = readFileSync(folder.file("tokenizer.json"), "utf8");
    folder.write("tokenizer.json", "{}");
    await expect(embed(["a"], passage)).rejects.toMatchObject({ code: "model_invalid" });

    folder.write("tokenizer.json", whole);

    expect(await embed(["a"], passage)).toHaveLength(1);
  });

  it("finishes running calls when closed, and refuses later ones", async () => {
    const { local, seen } = await watched(60_000);
    const gate = Promise.withResolvers<void>();
    seen.gate = gate.promise;
    const running = local.embed(["lock"], passage);
    const closing = local.close();

    await expect(local.embed(["late"], passage)).rejects.toMatchObject({
      code: "embedding_failed",
      message: expect.stringContaining("closed"),
    });
    gate.resolve();
    await closing;

    expect(await running).toHaveLength(1);
    expect(seen).toMatchObject({ loaded: 1, released: 1, runs: 1 });
  });

  it("can be closed without ever being loaded", async () => {
    const { local, seen } = await watched(60_000);

    await local.close();

    expect(seen).toMatchObject({ loaded: 0, released: 0 });
  });

  it("stops between batches when aborted", async () => {
    const { local, seen } = await watched(60_000);
    const gate = Promise.withResolvers<void>();
    seen.gate = gate.promise;
    const abort = new AbortController();
    const many = Array.from({ length: 200 }, (_, at) => `message ${at}`);
    const running = local.embed(many, { ...passage, signal: abort.signal });
    const outcome = expect(running).rejects.toThrow("enough");

    abort.abort(new Error("enough"));
    gate.resolve();
    await outcome;

    expect(seen.runs).toBeLessThan(2);
    expect(await local.embed(["lock"], passage)).toHaveLength(1);
  });

  it("is not loaded for a call that was aborted before", async () => {
    const { local, seen } = await watched(60_000);

    const running = local.embed(["lock"], { ...passage, signal: AbortSignal.abort() });

    await expect(running).rejects.toMatchObject({ name: "AbortError" });
    expect(seen.loaded).toBe(0);
  });
});

function bound(of: Embedder) {
  return { embed: of.embed.bind(of), dimension: of.dimension, limits: of.limits };
}
