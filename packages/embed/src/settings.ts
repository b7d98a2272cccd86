import type { PinnedModel } from "./models/pinned-models.ts";

/** How the vectors of a text's tokens become the vector of the text. */
export type Pooling = "mean" | "cls";

/** Settings of a model that pond knows, downloaded before by `downloadModel`. */
export type PinnedSettings = {
  readonly kind: "pinned";
  /** One of `pinnedModels` by name, or a manifest of your own. */
  readonly model: string | PinnedModel;
  /** Where `downloadModel` put it. */
  readonly cacheDirectory: string;
  /** Threads of one run. Default: all cores. */
  readonly threads?: number;
  /** How long an unused model stays in memory. Default: 5 minutes. */
  readonly idleMs?: number;
};

/** Settings of an ONNX model in a local folder. What is not set here is read from the folder. */
export type FolderSettings = {
  readonly kind: "folder";
  readonly folder: string;
  readonly pooling?: Pooling;
  /** Put before a query, as the model was trained. */
  readonly queryPrefix?: string;
  /** Put before a stored text. */
  readonly passagePrefix?: string;
  /** Most tokens of one text that reach the model; no more than the model takes. */
  readonly maxTokens?: number;
  /** Threads of one run. Default: all cores. */
  readonly threads?: number;
  /** How long an unused model stays in memory. Default: 5 minutes. */
  readonly idleMs?: number;
};

/** Settings of an OpenAI-compatible endpoint, such as Ollama, LM Studio, vLLM or OpenAI. */
export type HttpSettings = {
  readonly kind: "http";
  /** Base address, such as `http://127.0.0.1:11434/v1`. Texts go to `embeddings` below it. */
  readonly url: string;
  readonly model: string;
  readonly dimension: number;
  /** Sent as a bearer token, to this address only. */
  readonly apiKey?: string;
  /** Put before a query, as the model was trained. Default: none. */
  readonly queryPrefix?: string;
  /** Put before a stored text. Default: none. */
  readonly passagePrefix?: string;
  /** Most texts in one request. Default: 64. */
  readonly maxTexts?: number;
  /** Longer texts, prefix included, are cut to this many UTF-16 code units. Default: 6,000. */
  readonly maxCharacters?: number;
  /** Requests started in a minute, evenly spread. Default: unlimited. */
  readonly requestsPerMinute?: number;
  /** Timeout of one attempt of a request. Default: 60 seconds. */
  readonly timeoutMs?: number;
  /** Read for `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
};

/** Which model makes the vectors: a pinned one, one in a folder, or one behind HTTP. */
export type EmbedderSettings = PinnedSettings | FolderSettings | HttpSettings;
