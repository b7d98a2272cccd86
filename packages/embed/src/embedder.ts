/** Which side of a search a text is on: several models want a different prefix for each. */
export type EmbedKind = "query" | "passage";

/** What a model takes at once. Longer texts are cut by the backend, at its own tokens. */
export type EmbedLimits = {
  /** Texts in one call. */
  readonly maxTexts: number;
  /** Tokens of one text that reach the model. */
  readonly maxTokens: number;
};

/** What the texts are. */
export type EmbedOptions = {
  readonly kind: EmbedKind;
  readonly signal?: AbortSignal;
};

/**
 * The embedding seam: text in, vectors out (spec 8). A local model and a remote provider are the
 * same shape to everything above, and nothing below it knows what a session is.
 */
export interface Embedder {
  /** Names the model and whatever else changes its vectors; stored as `embedding_model`. */
  readonly modelId: string;
  /** Length of every vector. */
  readonly dimension: number;
  readonly limits: EmbedLimits;
  /**
   * One vector a text, in their order, each of unit length and of {@link dimension}.
   *
   * @throws {RangeError} for more texts than {@link EmbedLimits.maxTexts}.
   */
  embed(texts: readonly string[], options: EmbedOptions): Promise<readonly Float32Array[]>;
  /** Lets go of the model. The embedder is of no use afterwards. */
  close(): Promise<void>;
}
