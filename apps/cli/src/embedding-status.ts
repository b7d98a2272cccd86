import type { Statistics } from "@pond/sessions";
import type { Context } from "./context.ts";
import { withEmbedder } from "./embedder.ts";
import { type ErrorFacts, factsOf, toWireError } from "./report-error.ts";

/** How many of the stored messages can be searched by meaning. */
export type EmbeddingStatus =
  | { readonly enabled: false; readonly reason: string }
  | { readonly enabled: true; readonly error: ErrorFacts }
  | {
      readonly enabled: true;
      /** In the form of a message's `embedding_model`. */
      readonly model: string;
      readonly dimension: number;
      /** Messages with a vector of this model. */
      readonly embedded: number;
      /** Searchable messages without one. */
      readonly missing: number;
    };

/** A store's counts of messages and vectors. */
export type Coverage = Pick<Statistics, "searchable" | "embeddings">;

/** Opens the configured model only for its name; nothing is loaded into memory for it. */
export function embeddingStatus(
  context: Context,
  { searchable, embeddings }: Coverage,
): Promise<EmbeddingStatus> {
  const configured = context.settings.embeddings;
  return withEmbedder(context, async ({ embedder, failure }): Promise<EmbeddingStatus> => {
    if (!configured.isOn) return { enabled: false, reason: configured.reason };
    if (embedder === undefined) return { enabled: true, error: toWireError(factsOf(failure)) };
    const { modelId: model, dimension } = embedder;
    const embedded = embeddings.find((each) => each.model === model)?.messages ?? 0;
    const missing = Math.max(0, searchable - embedded);
    return { enabled: true, model, dimension, embedded, missing };
  });
}
