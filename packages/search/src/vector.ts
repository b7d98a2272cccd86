import type { Embedder } from "@pond/embed";
import type { SessionStore } from "@pond/sessions";
import { and, eq, type Filter, type NearestOptions } from "@pond/substrate";
import { bestRows, type RankedIndex } from "./best-rows.ts";
import { toBoundsCheck } from "./bounds.ts";
import { collectHits } from "./collect-hits.ts";
import { type FoundMessage, messageColumns, toFoundMessages } from "./message.ts";
import { hasBounds, type ParsedQuery } from "./query.ts";
import { queryVector, textToEmbed } from "./query-vector.ts";
import type { SearchOptions, SearchWarning } from "./request.ts";
import { storedVectors } from "./stored-vectors.ts";

/** A message that the vector arm found. */
export type VectorHit = FoundMessage & {
  /** Cosine, -1 to 1. */
  readonly similarity: number;
};

/** The result of the vector arm. */
export type VectorResult = {
  readonly hits: readonly VectorHit[];
  /** The query to the table; undefined if the arm had no part in the answer. */
  readonly asked?: NearestOptions;
  readonly warning?: SearchWarning;
};

const vectorDepth = 60;
// A vector index cannot check bounds on words. The texts decide, so more of them are read.
const boundedDepth = 4 * vectorDepth;
const defaultTimeoutMs = 20_000;
const longestReason = 300;

/**
 * The messages nearest to the query by meaning, among those embedded by the embedder's model. The
 * model is asked, and loaded, only if there is something to compare with. Filters are pushed down
 * (`search-prefilter-pushdown`).
 *
 * A search never fails because of its model: an error becomes a warning, and the other arms answer.
 *
 * @throws the reason of the signal, if that was aborted.
 */
export async function vectorArm(
  sessions: SessionStore,
  query: ParsedQuery,
  { raw, where }: { readonly raw: string; readonly where: Filter | undefined },
  { embedder, signal, embedTimeoutMs: timeoutMs = defaultTimeoutMs }: SearchOptions,
): Promise<VectorResult> {
  // Punctuation alone has no meaning.
  if (embedder === undefined || query.terms.length === 0) return { hits: [] };
  try {
    const { isComparable, dimension } = await storedVectors(sessions, embedder);
    if (!isComparable) return { hits: [], ...otherModelWarning(embedder, dimension) };
    const text = textToEmbed(raw, query);
    const vector = await queryVector(embedder, text, { signal, timeoutMs });
    const ofModel = eq("embedding_model", embedder.modelId);
    const asked = nearestOf(vector, query, where ? and(ofModel, where) : ofModel);
    return { hits: await nearest(sessions, query, asked), asked };
  } catch (error) {
    signal?.throwIfAborted();
    return { hits: [], warning: { code: "embedding_failed", message: failureMessage(error) } };
  }
}

function nearestOf(vector: Float32Array, query: ParsedQuery, where: Filter): NearestOptions {
  const limit = hasBounds(query) ? boundedDepth : vectorDepth;
  return { column: "vector", vector, where, columns: messageColumns, limit };
}

async function nearest(
  sessions: SessionStore,
  query: ParsedQuery,
  asked: NearestOptions,
): Promise<VectorHit[]> {
  const table = sessions.store.table("messages");
  const index: RankedIndex = { table, ask: (each) => table.nearest({ ...asked, ...each }) };
  const ask = async (where: Filter | undefined): Promise<VectorHit[]> => {
    const rows = await bestRows(index, { ...asked, where });
    return toFoundMessages(sessions, rows, (row) => ({
      similarity: Math.min(1, Math.max(-1, 1 - Number(row["_distance"]))),
    }));
  };
  const { hits } = await collectHits(ask, asked.where, asked.limit);
  const meetsBounds = toBoundsCheck(query);
  return hits
    .filter(({ text }) => meetsBounds(text))
    .toSorted((left, right) => right.similarity - left.similarity);
}

/** None as long as there are no vectors at all. */
function otherModelWarning(
  { modelId, dimension }: Embedder,
  stored: number | undefined,
): { readonly warning?: SearchWarning } {
  if (stored === undefined) return {};
  const advice =
    "so only words were searched; embed the messages again with this model, or configure the one they were embedded with";
  if (stored === dimension) {
    const message = `no vector is of ${modelId}, they are all of another model or made with other settings, ${advice}`;
    return { warning: { code: "embedding_failed", message } };
  }
  const message = `${modelId} makes vectors of ${dimension} numbers and the stored ones have ${stored}, ${advice}`;
  return { warning: { code: "dimension_mismatch", message } };
}

function failureMessage(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return `meaning could not be searched, so only words were: ${reason.slice(0, longestReason)}`;
}
