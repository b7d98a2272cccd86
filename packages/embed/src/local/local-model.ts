import type { Pooling } from "../settings.ts";

/** Everything about a model on disk that is known without loading it. */
export type LocalModel = {
  readonly modelId: string;
  /** Its folder, for errors. */
  readonly location: string;
  readonly modelFile: string;
  readonly tokenizerFile: string;
  readonly tokenizerConfig: Readonly<Record<string, unknown>>;
  readonly dimension: number;
  readonly pooling: Pooling;
  readonly queryPrefix: string;
  readonly passagePrefix: string;
  readonly maxTokens: number;
  /** True if the model wants lower-case text that its tokenizer does not produce. */
  readonly isLowerCase?: boolean;
  /** Rows of its embedding table, if its configuration says. */
  readonly vocabularySize?: number;
};
