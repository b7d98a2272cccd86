import type { SessionStore } from "@pond/sessions";
import {
  type EmbeddingModel,
  type MessageVector,
  readStoredModel,
  writeEmbeddings,
} from "@pond/sessions/embeddings";
import { ModelsAtOnceError } from "./errors.ts";
import { mending, type SyncProgress } from "./progress.ts";

/**
 * When vectors are stored. Storing one rewrites the vectors of its whole fragment, up to a million
 * rows, so they are gathered.
 */
export type WriteBackPolicy = {
  /** The most that a killed process loses, unless storing it would cost too much. */
  readonly everyMs: number;
  /** The most rows rewritten for one that is new; but memory takes precedence. */
  readonly maxAmplification: number;
  /** The memory of vectors and of the messages that they belong to. */
  readonly maxPendingBytes: number;
  /** Old files that rewrites left behind before a fold removes those that are ten minutes old. */
  readonly maxGarbageBytes: number;
};

const defaultPolicy: WriteBackPolicy = {
  everyMs: 30_000,
  maxAmplification: 16,
  // Storing them takes 0.1 GB more.
  maxPendingBytes: 12 * 1024 * 1024,
  maxGarbageBytes: 256 * 1024 * 1024,
};

export type WriteBackOptions = {
  readonly now: () => Date;
  readonly policy?: Partial<WriteBackPolicy> | undefined;
  /**
   * Called with the progress of a fold in rewriting what an earlier version stored, if that is
   * necessary.
   */
  readonly onProgress?: ((progress: SyncProgress) => void) | undefined;
  /** Ends a fold. */
  readonly signal?: AbortSignal | undefined;
};

const numberBytesInMemory = 4;
/** For a message that has a vector: its ids, and where it is. */
const messageBytes = 512;
const numberBytesStored = 2;
// For a large table, that many rewrites are less than what it holds anyway.
const maxTableRewrites = 4;

/** Gathers vectors and stores them when that pays off. */
export class WriteBack {
  readonly #sessions: SessionStore;
  readonly #model: EmbeddingModel;
  readonly #now: () => Date;
  readonly #policy: WriteBackPolicy;
  readonly #onProgress: WriteBackOptions["onProgress"];
  readonly #signal: AbortSignal | undefined;
  #fragments: ReadonlyMap<number, number> = new Map();
  #pending: MessageVector[] = [];
  #storedAtMs: number;
  #garbageRows = 0;
  /** Vectors stored so far. */
  stored = 0;
  /** Rows whose vectors were rewritten for them. */
  rewrittenRows = 0;

  constructor(
    sessions: SessionStore,
    model: EmbeddingModel,
    { now, policy = {}, onProgress, signal }: WriteBackOptions,
  ) {
    this.#sessions = sessions;
    this.#model = model;
    this.#now = now;
    this.#policy = { ...defaultPolicy, ...policy };
    this.#onProgress = onProgress;
    this.#signal = signal;
    this.#storedAtMs = now().getTime();
  }

  /** How many vectors are held at most. */
  get capacity(): number {
    const { maxPendingBytes } = this.#policy;
    const bytesOfEach = this.#model.dimension * numberBytesInMemory + messageBytes;
    return Math.max(1, Math.floor(maxPendingBytes / bytesOfEach));
  }

  /** Reads how rows are stored, because a fold of another process may have moved them. */
  async refresh(): Promise<void> {
    this.#fragments = await this.#sessions.store.table("messages").fragments();
  }

  /** Takes vectors, and stores all of them if it is time to. */
  async add(vectors: readonly MessageVector[]): Promise<void> {
    this.#pending.push(...vectors);
    if (this.#isDue()) await this.flush();
  }

  /**
   * Stores what is held.
   *
   * @throws {ModelsAtOnceError} if another sync embeds with a model of another dimension.
   */
  async flush(): Promise<void> {
    if (this.#pending.length === 0) return;
    const rewritten = this.#touchedRows();
    this.stored += await this.#store();
    this.#pending = [];
    this.rewrittenRows += rewritten;
    this.#garbageRows += rewritten;
    await this.#removeGarbage();
    this.#storedAtMs = this.#now().getTime();
  }

  async #store(): Promise<number> {
    const { modelId, dimension } = this.#model;
    try {
      return await writeEmbeddings(this.#sessions, modelId, this.#pending);
    } catch (cause) {
      const stored = await readStoredModel(this.#sessions).catch(() => undefined);
      if (stored === undefined || stored.dimension === dimension) throw cause;
      throw new ModelsAtOnceError({ modelId, dimension, stored }, { cause });
    }
  }

  #isDue(): boolean {
    const count = this.#pending.length;
    if (count >= this.capacity) return true;
    const { everyMs, maxAmplification } = this.#policy;
    if (this.#now().getTime() - this.#storedAtMs < everyMs) return false;
    return count * maxAmplification >= this.#touchedRows();
  }

  #touchedRows(): number {
    const touched = new Set(this.#pending.map(({ message }) => message.fragment));
    let rows = 0;
    for (const fragment of touched) rows += this.#fragments.get(fragment) ?? 0;
    return rows;
  }

  async #removeGarbage(): Promise<void> {
    const tableRows = [...this.#fragments.values()].reduce((sum, rows) => sum + rows, 0);
    const rowBytes = this.#model.dimension * numberBytesStored;
    const allowed = Math.max(this.#policy.maxGarbageBytes, tableRows * maxTableRewrites * rowBytes);
    if (this.#garbageRows * rowBytes < allowed || this.#signal?.aborted) return;
    this.#garbageRows = 0;
    await this.#sessions.store.table("messages").fold({
      isForced: true,
      // A vector index would be trained on data that is only begun.
      shouldDeferNewIndexes: true,
      onRewrite: (progress) => this.#onProgress?.(mending("messages", progress)),
      signal: this.#signal,
    });
    await this.refresh();
  }
}
