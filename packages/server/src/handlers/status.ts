import { statistics } from "@pond/sessions";
import type { EmbeddingStatus, StatusRequest, StatusResponse } from "@pond/wire";
import { adviseOn } from "../advice.ts";
import { toWireError } from "../errors.ts";
import { defaultNamespace } from "../namespaces.ts";
import type { Resources } from "../resources.ts";

/** Returns what is stored, how well it is indexed and embedded, and what needs doing. */
export async function status(
  { namespace = defaultNamespace }: StatusRequest,
  resources: Resources,
): Promise<StatusResponse> {
  const { open, isPersonal, signal } = resources;
  const sessions = await open("read");
  signal?.throwIfAborted();
  const facts = await statistics(sessions);
  const location = isPersonal ? facts.location : "";
  const embedding = embeddingStatus(resources, facts);
  const advice = adviseOn(facts, embedding, { isPersonal });
  return { ...facts, location, namespace, embedding, advice };
}

function embeddingStatus(
  { embedding: { embedder, failure, absence }, isPersonal }: Resources,
  { searchable, embeddings }: Pick<StatusResponse, "searchable" | "embeddings">,
): EmbeddingStatus {
  if (failure !== undefined) return { enabled: true, error: errorOf(failure, isPersonal) };
  if (embedder === undefined) return { enabled: false, reason: absence };
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

type EmbeddingError = Extract<EmbeddingStatus, { error: object }>["error"];

function errorOf(failure: Error, isPersonal: boolean): EmbeddingError {
  const { error } = toWireError(failure).toBody();
  if (isPersonal) return error;
  const { kind } = error.details;
  const details = kind === undefined ? {} : { kind };
  return { code: error.code, message: "the configured model cannot be used", details };
}
