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
  /** Of texts in small letters, which its tokenizer does not make of them. */
  readonly isLowerCase?: boolean;
  /** Rows of its embedding table, where its configuration says. */
  readonly vocabularySize?: number;
};
