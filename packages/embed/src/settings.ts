import type { PinnedModel } from "./models/pinned-models.ts";

/** How the vectors of a text's tokens become the vector of the text. */
export type Pooling = "mean" | "cls";

/** A model pond knows, downloaded before by `downloadModel`. */
export type PinnedSettings = {
  readonly kind: "pinned";
  /** One of `pinnedModels` by name, or a manifest of the caller's. */
  readonly model: string | PinnedModel;
  /** Where `downloadModel` put it. */
  readonly cacheDirectory: string;
  /** Threads of one run; all cores by default. */
  readonly threads?: number;
  /** How long an unused model stays in memory; 5 minutes by default. */
  readonly idleMs?: number;
};

/** An ONNX model in a local folder. What is not set here is read from the folder. */
export type FolderSettings = {
  readonly kind: "folder";
  readonly folder: string;
  readonly pooling?: Pooling;
  /** Put before a query; as the model was trained. */
  readonly queryPrefix?: string;
  /** Put before a text that is stored. */
  readonly passagePrefix?: string;
  /** Tokens of one text that reach the model, at most what it takes. */
  readonly maxTokens?: number;
  /** Threads of one run; all cores by default. */
  readonly threads?: number;
  /** How long an unused model stays in memory; 5 minutes by default. */
  readonly idleMs?: number;
};

/** An OpenAI-compatible endpoint, such as Ollama, LM Studio, vLLM or OpenAI. */
export type HttpSettings = {
  readonly kind: "http";
  /** Base address, such as `http://127.0.0.1:11434/v1`; texts go to `embeddings` under it. */
  readonly url: string;
  readonly model: string;
  readonly dimension: number;
  /** Sent as a bearer token, to this address only. */
  readonly apiKey?: string;
  /** Put before a query; as the model was trained. Default none. */
  readonly queryPrefix?: string;
  /** Put before a text that is stored. Default none. */
  readonly passagePrefix?: string;
  /** Texts in one request; 64 by default. */
  readonly maxTexts?: number;
  /** Longer texts, prefix included, are cut to this many UTF-16 code units; 6,000 by default. */
  readonly maxCharacters?: number;
  /** Requests begun in a minute, evenly spread; unlimited by default. */
  readonly requestsPerMinute?: number;
  /** For one attempt of a request; 60 seconds by default. */
  readonly timeoutMs?: number;
  /** Read for `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`; `process.env` by default. */
  readonly env?: Readonly<Record<string, string | undefined>>;
};

/** Which model makes the vectors: one that is pinned, one in a folder, or one behind HTTP. */
export type EmbedderSettings = PinnedSettings | FolderSettings | HttpSettings;
