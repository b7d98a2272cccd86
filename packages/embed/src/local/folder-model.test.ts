import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { buildTestModel, ModelFolder } from "@pond/embed-testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openEmbedder } from "../open-embedder.ts";
import type { FolderSettings } from "../settings.ts";
import { openFolderModel } from "./folder-model.ts";

let folder: ModelFolder;
beforeEach(async () => {
  folder = await ModelFolder.with({ dimension: 8 });
});
afterEach(() => folder.remove());

const openWith = (settings: Partial<FolderSettings> = {}) =>
  openFolderModel({ kind: "folder", folder: folder.path, ...settings });

const bgeQuery = "Represent this sentence for searching relevant passages: ";

describe("settings from a model folder", () => {
  it.each<[string, (its: ModelFolder) => void, Partial<FolderSettings>, object]>([
    [
      "come from its files, with defaults for the rest",
      () => {},
      {},
      { pooling: "mean", queryPrefix: "", maxTokens: 256, dimension: 8 },
    ],
    [
      "give way to the caller's",
      (its) => its.edit("config.json", { _name_or_path: "intfloat/e5-small-v2" }),
      { pooling: "cls", queryPrefix: "", passagePrefix: "p: ", maxTokens: 99 },
      { pooling: "cls", queryPrefix: "", passagePrefix: "p: ", maxTokens: 99 },
    ],
    [
      "include CLS pooling",
      (its) =>
        its.edit("1_Pooling/config.json", {
          pooling_mode_cls_token: true,
          pooling_mode_mean_tokens: false,
        }),
      {},
      { pooling: "cls" },
    ],
    [
      "include pooling in its newer notation",
      (its) => its.write("1_Pooling/config.json", { pooling_mode: "cls" }),
      {},
      { pooling: "cls" },
    ],
    [
      "include the prefixes of e5",
      (its) => its.edit("config.json", { _name_or_path: "intfloat/multilingual-e5-small" }),
      {},
      { queryPrefix: "query: ", passagePrefix: "passage: " },
    ],
    [
      "include pooling from the folder that modules.json names",
      (its) => {
        const type = "sentence_transformers.models.Pooling";
        its.write("modules.json", [{ type, path: "2_Pooling" }]);
        mkdirSync(its.file("2_Pooling"));
        its.write("2_Pooling/config.json", { pooling_mode_cls_token: true });
      },
      {},
      { pooling: "cls" },
    ],
    ...["\0", "p".repeat(300)].map((path): [string, (its: ModelFolder) => void, object, object] => [
      `fall back to mean pooling if modules.json names an impossible path, ${JSON.stringify(path.slice(0, 4))}`,
      (its) => {
        its.edit("1_Pooling/config.json", { pooling_mode: "cls" });
        its.write("modules.json", [{ type: "models.Pooling", path }]);
      },
      {},
      { pooling: "mean" },
    ]),
    [
      "include lower-casing",
      (its) => {
        its.edit("tokenizer.json", { normalizer: { type: "NFC" } });
        its.write("sentence_bert_config.json", { do_lower_case: true });
      },
      {},
      { isLowerCase: true },
    ],
    [
      "allow prefixes to be left out of pooling if there are none",
      (its) => its.edit("1_Pooling/config.json", { include_prompt: false }),
      {},
      { pooling: "mean" },
    ],
    [
      "include no prefixes for an e5 model that takes instructions",
      (its) => its.edit("config.json", { _name_or_path: "multilingual-e5-large-instruct" }),
      {},
      { queryPrefix: "", passagePrefix: "" },
    ],
    [
      "include pooling and prefixes of bge without a pooling file",
      (its) => {
        its.edit("config.json", { _name_or_path: "BAAI/bge-small-en-v1.5" });
        its.remove("1_Pooling");
      },
      {},
      { pooling: "cls", queryPrefix: bgeQuery, passagePrefix: "" },
    ],
    [
      "include no prefixes for MiniLM",
      (its) => its.edit("config.json", { _name_or_path: "all-MiniLM-L6-v2" }),
      {},
      { pooling: "mean", queryPrefix: "", passagePrefix: "" },
    ],
    [
      "include the folder's own prompts",
      (its) =>
        its.write("config_sentence_transformers.json", {
          prompts: { query: "ask: ", document: "say: " },
        }),
      {},
      { queryPrefix: "ask: ", passagePrefix: "say: " },
    ],
    [
      "include the token limit of sentence-transformers",
      (its) => its.write("sentence_bert_config.json", { max_seq_length: 128 }),
      {},
      { maxTokens: 128 },
    ],
    [
      "take the token limit from RoBERTa's positions if the tokenizer has none",
      (its) => {
        its.edit("config.json", { model_type: "xlm-roberta", max_position_embeddings: 130 });
        its.edit("tokenizer_config.json", { model_max_length: 1e30 });
      },
      {},
      { maxTokens: 128 },
    ],
    [
      "limit texts to 512 tokens if no file gives a limit",
      (its) => {
        its.remove("tokenizer_config.json");
        its.edit("config.json", { max_position_embeddings: null });
      },
      {},
      { maxTokens: 512 },
    ],
  ])("%s", async (_, change, settings, expected) => {
    change(folder);

    expect(await openWith(settings)).toMatchObject(expected);
  });

  it("include the prefixes of a model known by its name in the hub's cache, through links too", async () => {
    const hub = mkdtempSync(join(tmpdir(), "pond-hub-"));
    const snapshot = join(hub, "models--intfloat--multilingual-e5-small", "snapshots", "614241f6");
    cpSync(folder.path, snapshot, { recursive: true });
    symlinkSync(snapshot, join(hub, "mine"));
    const prefixes = { queryPrefix: "query: ", passagePrefix: "passage: " };

    for (const each of [snapshot, join(hub, "mine")]) {
      expect(await openWith({ folder: each })).toMatchObject(prefixes);
    }
    rmSync(hub, { recursive: true });
  });

  it.each([
    ["onnx/model.onnx", ["onnx/model.onnx", "onnx/model_fp16.onnx"]],
    ["onnx/model_quantized.onnx", ["onnx/model_quantized.onnx", "other.onnx"]],
    ["my-export.onnx", ["my-export.onnx"]],
  ])("name the model file %s", async (expected, names) => {
    mkdirSync(folder.file("onnx"));
    const model = readFileSync(folder.file("model.onnx"));
    folder.remove("model.onnx");
    for (const name of names) folder.write(name, model);

    expect((await openWith()).modelFile).toBe(folder.file(expected));
  });
});

describe("the id of a folder's model", () => {
  it.each<[string, (its: ModelFolder) => void, Partial<FolderSettings>]>([
    ["other pooling", () => {}, { pooling: "cls" }],
    ["another query prefix", () => {}, { queryPrefix: "q: " }],
    ["another passage prefix", () => {}, { passagePrefix: "p: " }],
    ["another token limit", () => {}, { maxTokens: 128 }],
    [
      "other weights",
      (its) => {
        const bytes = readFileSync(its.file("model.onnx"));
        bytes.writeUInt8(bytes.readUInt8(bytes.length - 5000) ^ 1, bytes.length - 5000);
        its.write("model.onnx", bytes);
      },
      {},
    ],
    ["another tokenizer", (its) => its.edit("tokenizer.json", { truncation: {} }), {}],
    [
      "another tokenizer configuration",
      (its) => its.edit("tokenizer_config.json", { do_lower_case: false }),
      {},
    ],
  ])("differs for %s", async (_, change, settings) => {
    const before = await openWith();
    change(folder);
    const after = await openWith(settings);

    expect(after.modelId).not.toBe(before.modelId);
    expect(after.modelId).toMatch(new RegExp(`^${basename(folder.path)}#[0-9a-f]{12}$`));
  });

  // As in BAAI/bge-small-en-v1.5: it says what its tokenizer does anyway.
  it.each([
    { type: "BertNormalizer", lowercase: true },
    { type: "Sequence", normalizers: [{ type: "NFD" }, { type: "Lowercase" }] },
  ])(
    "is the same if lower case is set beside a tokenizer that lower-cases anyway: %j",
    async (normalizer) => {
      folder.edit("tokenizer.json", { normalizer });
      const before = await openWith();
      folder.write("sentence_bert_config.json", { do_lower_case: true });

      expect((await openWith()).modelId).toBe(before.modelId);
    },
  );

  it.each(["model.onnx_data", "model.onnx.data", "model.onnx_data_1"])(
    "differs for other weights in %s, beside the graph",
    async (name) => {
      folder.write(name, "weights");
      const before = await openWith();
      folder.write(name, "WEIGHTS");
      const after = await openWith();

      expect(after.modelId).not.toBe(before.modelId);
    },
  );

  it.each(["model.onnx_data", "weights.bin", "embeddings.word.weight"])(
    "differs for other weights in %s, which the graph names",
    async (weightsFile) => {
      await buildTestModel(folder.path, { dimension: 8, weightsFile });
      const before = await openWith();
      folder.write(weightsFile, readFileSync(folder.file(weightsFile)).reverse());
      const after = await openWith();

      expect(after.modelId).not.toBe(before.modelId);
    },
  );

  it("is the same for settings that only change how the model runs", async () => {
    const settings = { kind: "folder", folder: folder.path } as const;
    const plain = await openEmbedder(settings);
    const tuned = await openEmbedder({ ...settings, threads: 1, idleMs: 5 });

    expect(tuned.modelId).toBe(plain.modelId);
  });
});

describe("a model folder is refused for", () => {
  const cut = (its: ModelFolder, share: number): void => {
    const bytes = readFileSync(its.file("model.onnx"));
    its.write("model.onnx", bytes.subarray(0, Math.floor(bytes.length * share)));
  };

  it.each<[string, (its: ModelFolder) => unknown, string, RegExp]>([
    [
      "no model file",
      (its) => its.remove("model.onnx"),
      "model_incomplete",
      /model\.onnx is missing$/,
    ],
    [
      "a model file that is still being downloaded",
      (its) => renameSync(its.file("model.onnx"), its.file("model.onnx.part")),
      "model_incomplete",
      /model\.onnx\.part is there, a download that was not finished/,
    ],
    [
      "several model files to choose from",
      (its) => {
        for (const name of ["a.onnx", "b.onnx"]) its.write(name, "x");
        its.remove("model.onnx");
      },
      "model_incomplete",
      /which of a\.onnx, b\.onnx/,
    ],
    ["half a model file", (its) => cut(its, 0.5), "model_incomplete", /bytes instead of \d+/],
    ["most of a model file", (its) => cut(its, 0.99), "model_incomplete", /bytes instead of \d+/],
    [
      "an empty model file",
      (its) => its.write("model.onnx", ""),
      "model_incomplete",
      /model\.onnx is empty/,
    ],
    [
      "a Git LFS pointer in place of a model file",
      (its) =>
        its.write("model.onnx", "version https://git-lfs.github.com/spec/v1\noid sha256:00\n"),
      "model_incomplete",
      /git lfs pull/,
    ],
    [
      "a missing weights file that the graph names",
      async (its) => {
        await buildTestModel(its.path, { dimension: 8, weightsFile: "weights.bin" });
        its.remove("weights.bin");
      },
      "model_incomplete",
      /weights\.bin is missing/,
    ],
    [
      "an incomplete weights file",
      async (its) => {
        await buildTestModel(its.path, { dimension: 8, weightsFile: "weights.bin" });
        its.write("weights.bin", readFileSync(its.file("weights.bin")).subarray(1));
      },
      "model_incomplete",
      /weights\.bin has \d+ bytes and not the \d+ that the model reads/,
    ],
    [
      "an incomplete weights file that the graph names with ./",
      async (its) => {
        await buildTestModel(its.path, { dimension: 8, weightsFile: "./weights.bin" });
        its.write("weights.bin", readFileSync(its.file("weights.bin")).subarray(1));
      },
      "model_incomplete",
      /weights\.bin has \d+ bytes and not the \d+ that the model reads/,
    ],
    [
      "no tokenizer",
      (its) => its.remove("tokenizer.json"),
      "model_incomplete",
      /tokenizer\.json is missing/,
    ],
    [
      "no configuration",
      (its) => its.remove("config.json"),
      "model_incomplete",
      /config\.json is missing/,
    ],
    [
      "a configuration that is not JSON",
      (its) => its.write("config.json", "{"),
      "model_invalid",
      /config\.json is not JSON/,
    ],
    [
      "a configuration that is a list",
      (its) => its.write("config.json", []),
      "model_invalid",
      /does not hold a JSON object/,
    ],
    [
      "no dimension",
      (its) => {
        its.edit("config.json", { hidden_size: null });
        its.remove("1_Pooling");
      },
      "model_invalid",
      /how long its vectors are/,
    ],
    [
      "two different dimensions",
      (its) => its.edit("1_Pooling/config.json", { word_embedding_dimension: 9 }),
      "model_invalid",
      /of 8 numbers, 1_Pooling\/config\.json of 9/,
    ],
    [
      "unsupported pooling",
      (its) => its.edit("1_Pooling/config.json", { pooling_mode_max_tokens: true }),
      "model_invalid",
      /mean and max_tokens; mean and cls are supported/,
    ],
    [
      "prefixes that are left out of the mean",
      (its) => {
        its.edit("1_Pooling/config.json", { include_prompt: false });
        its.write("config_sentence_transformers.json", { prompts: { query: "ask: " } });
      },
      "model_invalid",
      /leaves prefixes out of the mean/,
    ],
    [
      "an unsupported step",
      (its) =>
        its.write("modules.json", [
          { type: "sentence_transformers.models.Transformer" },
          { type: "sentence_transformers.models.Dense" },
        ]),
      "model_invalid",
      /a step "Dense"/,
    ],
  ])("%s", async (_, change, code, message) => {
    await change(folder);

    await expect(openWith()).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
      [Symbol.for("pond.error")]: true,
    });
  });

  it("not being there", async () => {
    await expect(openWith({ folder: folder.file("none") })).rejects.toMatchObject({
      code: "model_not_found",
    });
  });

  it("fewer tokens than asked for", async () => {
    await expect(openWith({ maxTokens: 300 })).rejects.toMatchObject({
      code: "model_invalid",
      message: expect.stringContaining("256 tokens of a text, not 300"),
    });
  });
});
