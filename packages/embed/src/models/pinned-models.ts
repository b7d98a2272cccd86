import type { Pooling } from "../settings.ts";

/** One file of a model, as its repository publishes it. */
export type PinnedFile = {
  /** Its path in the repository. */
  readonly path: string;
  /** Its name on disk. */
  readonly name: string;
  readonly bytes: number;
  /** In lower-case hexadecimal digits. */
  readonly sha256: string;
};

/**
 * A model whose every fetched byte is known beforehand: weights and tokenizer by size and checksum,
 * everything else that decides its vectors by value.
 */
export type PinnedModel = {
  readonly name: string;
  /** `owner/name` at the hub. */
  readonly repository: string;
  /** Commit of the repository. */
  readonly revision: string;
  /** SPDX identifier of the licence that its authors publish it under. */
  readonly licence: string;
  readonly dimension: number;
  readonly pooling: Pooling;
  readonly queryPrefix: string;
  readonly passagePrefix: string;
  readonly maxTokens: number;
  /** The fields of `tokenizer_config.json` that the tokenizer needs; the file is not downloaded. */
  readonly tokenizerConfig: Readonly<Record<string, string>>;
  /** `model.onnx` and `tokenizer.json`, under their names on disk. */
  readonly files: readonly PinnedFile[];
};

const e5 = {
  repository: "intfloat/multilingual-e5-small",
  revision: "614241f622f53c4eeff9890bdc4f31cfecc418b3",
  licence: "MIT",
  dimension: 384,
  pooling: "mean",
  queryPrefix: "query: ",
  passagePrefix: "passage: ",
  maxTokens: 512,
  tokenizerConfig: { eos_token: "</s>", pad_token: "<pad>" },
} as const;

const e5Tokenizer: PinnedFile = {
  path: "tokenizer.json",
  name: "tokenizer.json",
  bytes: 17_082_730,
  sha256: "0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39",
};

/** The models that pond downloads by name. The README says where the checksums come from. */
export const pinnedModels: readonly PinnedModel[] = [
  {
    ...e5,
    name: "multilingual-e5-small",
    files: [
      {
        // 8-bit weights. The name says where they are fastest; they run everywhere.
        path: "onnx/model_qint8_avx512_vnni.onnx",
        name: "model.onnx",
        bytes: 118_346_824,
        sha256: "dd476dd0c2514e9b9be83aeb3853fac0763e0bdf4a71645407587d77c48a2d88",
      },
      e5Tokenizer,
    ],
  },
  {
    ...e5,
    name: "multilingual-e5-small-fp32",
    files: [
      {
        path: "onnx/model.onnx",
        name: "model.onnx",
        bytes: 470_268_510,
        sha256: "ca456c06b3a9505ddfd9131408916dd79290368331e7d76bb621f1cba6bc8665",
      },
      e5Tokenizer,
    ],
  },
  {
    name: "bge-small-en-v1.5",
    repository: "BAAI/bge-small-en-v1.5",
    revision: "5c38ec7c405ec4b44b94cc5a9bb96e735b38267a",
    licence: "MIT",
    dimension: 384,
    pooling: "cls",
    queryPrefix: "Represent this sentence for searching relevant passages: ",
    passagePrefix: "",
    maxTokens: 512,
    tokenizerConfig: { pad_token: "[PAD]" },
    files: [
      {
        path: "onnx/model.onnx",
        name: "model.onnx",
        bytes: 133_093_490,
        sha256: "828e1496d7fabb79cfa4dcd84fa38625c0d3d21da474a00f08db0f559940cf35",
      },
      {
        path: "tokenizer.json",
        name: "tokenizer.json",
        bytes: 711_396,
        sha256: "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
      },
    ],
  },
  {
    name: "all-MiniLM-L6-v2",
    repository: "sentence-transformers/all-MiniLM-L6-v2",
    revision: "1110a243fdf4706b3f48f1d95db1a4f5529b4d41",
    licence: "Apache-2.0",
    dimension: 384,
    pooling: "mean",
    queryPrefix: "",
    passagePrefix: "",
    maxTokens: 256,
    tokenizerConfig: { pad_token: "[PAD]" },
    files: [
      {
        path: "onnx/model.onnx",
        name: "model.onnx",
        bytes: 90_405_214,
        sha256: "6fd5d72fe4589f189f8ebc006442dbb529bb7ce38f8082112682524616046452",
      },
      {
        path: "tokenizer.json",
        name: "tokenizer.json",
        bytes: 466_247,
        sha256: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
      },
    ],
  },
];
