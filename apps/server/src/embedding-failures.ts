import { type Embedder, EmbedError } from "@pond/embed";
import type { Log } from "./log.ts";

/**
 * Wraps a model so that the operator is told why it made no vectors. Searches go on by words alone,
 * and tenants learn no more than that.
 */
export function withEmbeddingFailureLog(embedder: Embedder, log: Log): Embedder {
  return {
    modelId: embedder.modelId,
    dimension: embedder.dimension,
    limits: embedder.limits,
    async embed(texts, options) {
      try {
        return await embedder.embed(texts, options);
      } catch (error) {
        const reason = reasonOf(error);
        if (reason !== undefined) log.error("embeddings do not answer", { reason });
        throw error;
      }
    },
    close: () => embedder.close(),
  };
}

/** Undefined if the caller has left, which is not a failure. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof EmbedError) return error.message;
  const isTimeout = error instanceof DOMException && error.name === "TimeoutError";
  return isTimeout ? "no vector within the time that a search allows" : undefined;
}
