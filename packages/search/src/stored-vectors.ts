import type { Embedder } from "@pond/embed";
import type { SessionStore } from "@pond/sessions";
import { eq, type Filter, isNotNull } from "@pond/substrate";

const known = new WeakMap<SessionStore, Map<string, number>>();

/** What the store has for a model: vectors of some length, or none. */
export type StoredVectors = {
  /** True where at least one message is embedded under the model, at its dimension. */
  readonly isComparable: boolean;
  /** Length of the vectors there are; undefined where there are none. */
  readonly dimension: number | undefined;
};

/**
 * Whether there is anything to compare a query with. Counted through the index on
 * `embedding_model`, 0.5 ms; vectors are never looked through, and no model is loaded for it.
 */
export async function storedVectors(
  sessions: SessionStore,
  { modelId, dimension: wanted }: Pick<Embedder, "modelId" | "dimension">,
): Promise<StoredVectors> {
  const ofModel = eq("embedding_model", modelId);
  if ((await sessions.store.table("messages").count(ofModel)) === 0) {
    return { isComparable: false, dimension: await sampleDimension(sessions, isEmbedded) };
  }
  // What a model's name stands for has one length, so it is looked at once.
  const dimensions = known.get(sessions) ?? new Map<string, number>();
  known.set(sessions, dimensions);
  const dimension = dimensions.get(modelId) ?? (await sampleDimension(sessions, ofModel));
  if (dimension !== undefined) dimensions.set(modelId, dimension);
  return { isComparable: dimension === wanted, dimension };
}

const isEmbedded = isNotNull("embedding_model");

async function sampleDimension(
  { store }: SessionStore,
  where: Filter,
): Promise<number | undefined> {
  const rows = await store.table("messages").rows({ columns: ["vector"], where, limit: 1 });
  const vector = rows[0]?.["vector"];
  return vector instanceof Float32Array ? vector.length : undefined;
}
