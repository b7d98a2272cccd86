/** The side of a search that a text is on. Several models want a different prefix for each. */
export type EmbedKind = "query" | "passage";

/** How much a model takes at once. The backend cuts longer texts at its own tokens. */
export type EmbedLimits = {
  /** Most texts in one call. */
  readonly maxTexts: number;
  /** Most tokens of one text that reach the model. */
  readonly maxTokens: number;
};

/** What the texts are used for. */
export type EmbedOptions = {
  readonly kind: EmbedKind;
  /** True if an error soon is worth more than vectors late: little is tried again. */
  readonly isBrief?: boolean;
  /** Called before something is tried again, with the reason why it failed. */
  readonly onRetry?: (reason: string) => void;
  readonly signal?: AbortSignal;
};

/**
 * The embedding seam: text in, vectors out (spec 8). To everything above it, a local model and a
 * remote provider look the same; nothing below it knows what a session is.
 */
export interface Embedder {
  /** Names the model and whatever else changes its vectors. Stored as `embedding_model`. */
  readonly modelId: string;
  /** Length of every vector. */
  readonly dimension: number;
  readonly limits: EmbedLimits;
  /**
   * Returns one vector for each text, in order, each of unit length and of {@link dimension}.
   *
   * @throws {RangeError} for more texts than {@link EmbedLimits.maxTexts}.
   */
  embed(texts: readonly string[], options: EmbedOptions): Promise<readonly Float32Array[]>;
  /** Unloads the model. The embedder cannot be used afterwards. */
  close(): Promise<void>;
}
