import type { Embedder } from "@pond/embed";
import type { SessionStore } from "@pond/sessions";
import {
  type BacklogMessage,
  type BacklogText,
  countBacklog,
  countToEmbed,
  type EmbeddingModel,
  type MessageVector,
  prepareEmbeddings,
  readBacklog,
} from "@pond/sessions/embeddings";
import { BatchEmbedder } from "./embed-batch.ts";
import { failAfter } from "./errors.ts";
import { type EmbedFault, toEmbedFault } from "./fault.ts";
import type { SyncProgress } from "./progress.ts";
import { WaitingTexts } from "./waiting-texts.ts";
import { WriteBack, type WriteBackPolicy } from "./write-back.ts";

/** How much is embedded, and who is told. */
export type EmbedMessagesOptions = {
  /** The clock by which gathered vectors are stored in time. */
  readonly now: () => Date;
  /** Embeds every message again, including those that have a vector of this model. */
  readonly isForced?: boolean;
  /** Called as messages are done. */
  readonly onProgress?: (progress: SyncProgress) => void;
  /** Stops after the current batch; what is embedded by then is stored. */
  readonly signal?: AbortSignal | undefined;
  readonly writeBack?: Partial<WriteBackPolicy>;
};

/** The outcome of the embed stage. */
export type EmbedReport = {
  readonly model: string;
  readonly dimension: number;
  /** Messages that got a vector, which is stored. */
  readonly embedded: number;
  /** Messages that still have no vector of this model: interrupted, failed, or new meanwhile. */
  readonly remaining: number;
  /** Messages that cannot be embedded. */
  readonly failed: number;
  /** The first hundred of their faults. */
  readonly faults: readonly EmbedFault[];
  /** Rows that were rewritten to store the vectors. */
  readonly rewritten_rows: number;
};

const maxFaults = 100;

/**
 * The embed stage (spec 5.5, 8): fills `vector` and `embedding_model` of every message that search
 * can find and that has no vector of this model. It may be stopped in any way and continues where
 * it was. Two at once do no harm, but may both embed what neither has stored yet.
 *
 * A message that cannot be embedded is left for the next time and listed as a fault.
 *
 * @throws The embedder's error if nothing can be embedded; what was embedded until then is stored.
 * @throws {ModelsAtOnceError} if another sync embeds with a model of another dimension.
 * @throws {ConflictError} if other writers won every race. It is safe to repeat.
 */
export async function embedMessages(
  sessions: SessionStore,
  embedder: Embedder,
  { now, isForced = false, onProgress, signal, writeBack: policy }: EmbedMessagesOptions,
): Promise<EmbedReport> {
  const { modelId, dimension } = embedder;
  const model = { modelId, dimension };
  const writeBack = new WriteBack(sessions, model, { now, policy, onProgress, signal });
  const onRetry = (retrying: string): void => reportProgress({ retrying });
  const batches = new BatchEmbedder(embedder, { now, onRetry, signal });
  let proof: Promise<void> | undefined;
  const prove = (): Promise<void> => (proof ??= batches.prove());
  const waitingTexts = new WaitingTexts(sessions, modelId, embedder.limits.maxTexts);
  const failed = new Set<bigint>();
  const faults: EmbedFault[] = [];
  let embedded = 0;
  let total = 0;
  const reportProgress = (more: { readonly retrying?: string } = {}): void => {
    const { stored } = writeBack;
    onProgress?.({ stage: "embed", embedded, stored, total, failed: failed.size, ...more });
  };
  const storeRest = async (): Promise<void> => {
    await writeBack.flush();
    if (total > 0) reportProgress();
  };
  try {
    signal?.throwIfAborted();
    total = await countToEmbed(sessions, model, isForced);
    if (total > 0) reportProgress();
    // First of all: one that is late for a batch may only be slow, one that is late for a word is not.
    if (total > 0) await prove();
    await prepareEmbeddings(sessions, model, isForced, prove);
    total = await countBacklog(sessions, modelId);
    // Bounded by the initial number, so that two models at once do not undo each other for ever.
    for (let left = total; left > 0; ) {
      const page = await nextPage();
      if (page.length === 0) break;
      left -= page.length;
      await writeBack.refresh();
      for await (const batch of waitingTexts.batchesOf(page)) {
        signal?.throwIfAborted();
        await embedBatch(batch);
      }
      await writeBack.flush();
    }
  } catch (error) {
    if (!signal?.aborted) await failAfter(error, storeRest, signal);
    await writeBack.flush();
  }
  return {
    model: modelId,
    dimension,
    embedded: writeBack.stored,
    remaining: await countBacklog(sessions, modelId),
    failed: failed.size,
    faults,
    rewritten_rows: writeBack.rewrittenRows,
  };

  async function nextPage(): Promise<BacklogMessage[]> {
    const limit = writeBack.capacity + failed.size;
    const page = await readBacklog(sessions, modelId, limit);
    return page.filter(({ row }) => !failed.has(row));
  }

  async function embedBatch(waiting: readonly BacklogText[]): Promise<void> {
    let at = 0;
    for await (const outcomes of batches.embed(waiting.map(({ text }) => text))) {
      const vectors: MessageVector[] = [];
      for (const outcome of outcomes) {
        const message = waiting[at++]?.message;
        if (message === undefined) continue;
        if ("vector" in outcome) {
          vectors.push({ message, vector: outcome.vector });
          continue;
        }
        failed.add(message.row);
        if (faults.length < maxFaults) faults.push(toEmbedFault(message, outcome.error));
      }
      embedded += vectors.length;
      await writeBack.add(vectors);
      reportProgress();
    }
  }
}

/** What the stage would find to do, without asking the model; nothing without a store. */
export async function previewEmbedding(
  sessions: SessionStore | undefined,
  model: EmbeddingModel,
  isForced: boolean,
): Promise<EmbedReport> {
  const remaining = sessions === undefined ? 0 : await countToEmbed(sessions, model, isForced);
  const { modelId, dimension } = model;
  return {
    ...{ model: modelId, dimension, embedded: 0, remaining },
    ...{ failed: 0, faults: [], rewritten_rows: 0 },
  };
}
