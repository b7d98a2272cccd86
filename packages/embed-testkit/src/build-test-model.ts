import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  elementType,
  encodeOnnx,
  type OnnxGraph,
  type OnnxNode,
  type OnnxTensor,
  type OnnxValue,
} from "./onnx-file.ts";
import { tokenVectors } from "./token-vectors.ts";
import { tokenizerFile } from "./tokenizer-file.ts";
import { testVocabulary } from "./vocabulary.ts";

export type TestModelOptions = {
  /** Length of the vectors. */
  readonly dimension?: number;
  /** Words with a token, and so a vector, of their own. Others are composed of pieces. */
  readonly words?: readonly string[];
  /** The pooling in `1_Pooling/config.json`. */
  readonly pooling?: "mean" | "cls";
  /**
   * `last_hidden_state` gives one vector per token, as most exports do; any other name, one per
   * text.
   */
  readonly output?: string;
  /** The type of its numbers. */
  readonly numbers?: "float" | "float16";
  /** The file beside the graph that holds the weights; left out, they are in the graph. */
  readonly weightsFile?: string;
  /** The inputs that the graph declares. */
  readonly inputs?: readonly string[];
  /** Most tokens of one text that the model takes. */
  readonly maxTokens?: number;
};

const defaults = {
  dimension: 64,
  words: [],
  pooling: "mean",
  output: "last_hidden_state",
  numbers: "float",
  inputs: ["input_ids", "attention_mask", "token_type_ids"],
  maxTokens: 256,
} as const;

/**
 * Writes a small real model into a folder: an ONNX graph, its tokenizer and configuration, in the
 * layout of sentence-transformers. A text's vector is the mean of its pieces' fixed vectors, so
 * texts that share words are near each other. The same options give the same bytes.
 */
export async function buildTestModel(
  folder: string,
  options: TestModelOptions = {},
): Promise<void> {
  const { dimension, words, pooling, inputs, maxTokens, ...graph } = { ...defaults, ...options };
  const vocabulary = testVocabulary(words);
  await mkdir(join(folder, "1_Pooling"), { recursive: true });
  const vectors = tokenVectors(vocabulary, dimension);
  await writeFile(
    join(folder, "model.onnx"),
    encodeOnnx(lookUpGraph({ ...graph, vocabulary, dimension, inputs, vectors })),
  );
  const { weightsFile } = graph;
  if (weightsFile !== undefined) await writeFile(join(folder, weightsFile), vectors);
  await writeJson(join(folder, "tokenizer.json"), tokenizerFile(vocabulary));
  await writeJson(join(folder, "tokenizer_config.json"), {
    tokenizer_class: "BertTokenizer",
    model_max_length: maxTokens,
    do_lower_case: true,
    pad_token: "[PAD]",
    unk_token: "[UNK]",
    cls_token: "[CLS]",
    sep_token: "[SEP]",
  });
  await writeJson(join(folder, "config.json"), {
    model_type: "bert",
    hidden_size: dimension,
    vocab_size: vocabulary.length,
    max_position_embeddings: maxTokens,
    pad_token_id: 0,
  });
  await writeJson(join(folder, "1_Pooling", "config.json"), {
    word_embedding_dimension: dimension,
    pooling_mode_cls_token: pooling === "cls",
    pooling_mode_mean_tokens: pooling === "mean",
    pooling_mode_max_tokens: false,
    pooling_mode_mean_sqrt_len_tokens: false,
  });
}

type LookUp = {
  readonly vocabulary: readonly string[];
  readonly dimension: number;
  readonly vectors: Uint8Array;
  readonly inputs: readonly string[];
  readonly output: string;
  readonly numbers: "float" | "float16";
  readonly weightsFile?: string;
};

/** Looks up each token's vector. That is all this model does, unless it is asked to sum them. */
function lookUpGraph(of: LookUp): OnnxGraph {
  const { vocabulary, dimension, vectors, inputs, output, numbers, weightsFile: file } = of;
  const isPooled = output !== "last_hidden_state";
  const to = elementType[numbers];
  const tokens = isPooled ? "tokens" : output;
  return {
    nodes: [
      { type: "Gather", inputs: ["vectors", "input_ids"], outputs: ["rows"] },
      { type: "Cast", inputs: ["rows"], outputs: [tokens], attributes: { to } },
      ...(isPooled ? sumNodes(tokens, output, to) : []),
    ],
    tensors: [
      {
        name: "vectors",
        dims: [vocabulary.length, dimension],
        type: elementType.int8,
        bytes: vectors,
        file,
      },
      ...(isPooled ? [axis] : []),
    ],
    inputs: inputs.map(
      (name): OnnxValue => ({ name, type: elementType.int64, shape: ["batch", "sequence"] }),
    ),
    outputs: [
      {
        name: output,
        type: to,
        shape: isPooled ? ["batch", dimension] : ["batch", "sequence", dimension],
      },
    ],
  };
}

const axis: OnnxTensor = {
  name: "axis",
  dims: [1],
  type: elementType.int64,
  bytes: new Uint8Array(BigInt64Array.of(1n).buffer),
};

/** The sum over the tokens that the mask leaves: a matrix product with the mask. */
function sumNodes(tokens: string, output: string, to: number): OnnxNode[] {
  return [
    { type: "Cast", inputs: ["attention_mask"], outputs: ["mask"], attributes: { to } },
    { type: "Unsqueeze", inputs: ["mask", "axis"], outputs: ["mask_rows"] },
    { type: "MatMul", inputs: ["mask_rows", tokens], outputs: ["sums"] },
    { type: "Squeeze", inputs: ["sums", "axis"], outputs: [output] },
  ];
}

function writeJson(file: string, value: object): Promise<void> {
  return writeFile(file, `${JSON.stringify(value)}\n`);
}
