import { ModelFolder } from "@pond/embed-testkit";
import { afterEach, expect, it } from "vitest";
import { loadTokenizer } from "./tokenizer.ts";

let folder: ModelFolder;
afterEach(() => folder.remove());

/** As XLM-RoBERTa's, which multilingual models use: pieces with scores, `<s>` and `</s>`. */
const unigram = {
  version: "1.0",
  added_tokens: ["<s>", "<pad>", "</s>", "<unk>"].map((content, id) => ({
    ...{ id, content, single_word: false, lstrip: false, rstrip: false },
    ...{ normalized: false, special: true },
  })),
  normalizer: { type: "NFKC" },
  pre_tokenizer: {
    type: "Metaspace",
    replacement: "▁",
    add_prefix_space: true,
    prepend_scheme: "always",
  },
  post_processor: {
    type: "TemplateProcessing",
    single: [
      { SpecialToken: { id: "<s>", type_id: 0 } },
      { Sequence: { id: "A", type_id: 0 } },
      { SpecialToken: { id: "</s>", type_id: 0 } },
    ],
    pair: [],
    special_tokens: {
      "<s>": { id: "<s>", ids: [0], tokens: ["<s>"] },
      "</s>": { id: "</s>", ids: [2], tokens: ["</s>"] },
    },
  },
  decoder: { type: "Metaspace", replacement: "▁", add_prefix_space: true },
  model: {
    type: "Unigram",
    unk_id: 3,
    vocab: [
      ...["<s>", "<pad>", "</s>", "<unk>"].map((token) => [token, 0]),
      ...["▁lock", "▁file", "s", "▁", "锁"].map((token, at) => [token, -1 - at]),
    ],
  },
};

const load = (maxTokens = 6) =>
  loadTokenizer({
    location: folder.path,
    tokenizerFile: folder.file("tokenizer.json"),
    tokenizerConfig: { eos_token: "</s>", pad_token: "<pad>" },
    maxTokens,
  });

it("gives an empty text a token if the tokenizer adds none around it", async () => {
  folder = new ModelFolder();
  folder.write("tokenizer.json", { ...unigram, post_processor: null });
  const tokenizer = await load();

  expect(tokenizer.encode("")).toEqual([1]);
  expect(tokenizer.encode("lock")).toEqual([4]);
});

it.each([
  ["words", "lock files", [0, 4, 5, 6, 2]],
  ["compatibility forms", "ｌｏｃｋ", [0, 4, 2]],
  ["an unknown character", "lock ?", [0, 4, 7, 3, 2]],
  ["an empty text", "", [0, 2]],
  ["a text that is too long", "lock lock lock lock lock lock lock lock", [0, 4, 4, 4, 4, 2]],
])("encodes with a Unigram tokenizer: %s", async (_, text, ids) => {
  folder = new ModelFolder();
  folder.write("tokenizer.json", unigram);
  const tokenizer = await load();

  expect(tokenizer.encode(text)).toEqual(ids);
  expect(tokenizer.paddingId).toBe(1);
});

it.each([
  ["words", "lock files "],
  ["text without spaces", "锁"],
  ["words, then text without spaces", `${"lock files ".repeat(9_000)}${"锁".repeat(100_000)}`],
])("encodes the beginning of a huge text for a model of many tokens: %s", async (_, piece) => {
  folder = new ModelFolder();
  folder.write("tokenizer.json", unigram);
  const tokenizer = await load(8_192);
  const text = piece.repeat(Math.ceil(400_000 / piece.length));

  const ids = tokenizer.encode(text);

  expect(ids).toHaveLength(8_192);
  expect([...ids.slice(0, 8_191), 2]).toEqual(ids);
  const [, ...beginning] = tokenizer.encode(text.slice(0, 8_000));
  expect(ids.slice(1, 1_000)).toEqual(beginning.slice(0, 999));
});
