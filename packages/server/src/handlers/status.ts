import { statistics } from "@pond/sessions";
import type { EmbeddingStatus, StatusRequest, StatusResponse } from "@pond/wire";
import { adviseOn } from "../advice.ts";
import { toWireError } from "../errors.ts";
import { defaultNamespace } from "../namespaces.ts";
import type { Embedding, Resources } from "../resources.ts";

/** What is stored, how well it is indexed and embedded, and what needs doing. */
export async function status(
  { namespace = defaultNamespace }: StatusRequest,
  { open, embedding, signal }: Resources,
): Promise<StatusResponse> {
  const sessions = await open("read");
  signal?.throwIfAborted();
  const facts = await statistics(sessions);
  const state = embeddingStatus(embedding, facts);
  return { ...facts, namespace, embedding: state, advice: adviseOn(facts, state) };
}

function embeddingStatus(
  { embedder, failure }: Embedding,
  { searchable, embeddings }: Pick<StatusResponse, "searchable" | "embeddings">,
): EmbeddingStatus {
  if (failure !== undefined) return { enabled: true, ...toWireError(failure).toBody() };
  if (embedder === undefined) return { enabled: false, reason: "no model is configured" };
  const { modelId: model, dimension } = embedder;
  const embedded = embeddings.find((each) => each.model === model)?.messages ?? 0;
  return {
    enabled: true,
    model,
    dimension,
    embedded,
    missing: Math.max(0, searchable - embedded),
  };
}
