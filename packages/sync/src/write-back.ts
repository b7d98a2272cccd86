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
 * When vectors are stored. To store one rewrites the vectors of its whole fragment, up to a million
 * rows, so they are gathered.
 */
export type WriteBackPolicy = {
  /** What a killed process loses at most, unless storing it would cost too much. */
  readonly everyMs: number;
  /** Rows rewritten for one that is new, at most; but memory goes first. */
  readonly maxAmplification: number;
  /** What vectors and the messages they are of take in memory. */
  readonly maxPendingBytes: number;
  /** Old files that rewrites left behind before a fold removes those ten minutes old. */
  readonly maxGarbageBytes: number;
};

const defaultPolicy: WriteBackPolicy = {
  everyMs: 30_000,
  maxAmplification: 16,
  // To store them takes 0.1 GB more.
  maxPendingBytes: 12 * 1024 * 1024,
  maxGarbageBytes: 256 * 1024 * 1024,
};

export type WriteBackOptions = {
  readonly now: () => Date;
  readonly policy?: Partial<WriteBackPolicy> | undefined;
  /** Told how far a fold is with what an earlier version stored, where it has to store that anew. */
  readonly onProgress?: ((progress: SyncProgress) => void) | undefined;
  /** Ends a fold. */
  readonly signal?: AbortSignal | undefined;
};

const bytesInMemory = 4;
/** Of a message that has a vector: its ids, and where it is. */
const messageBytes = 512;
const bytesStored = 2;
// Of a large table that many rewrites are less than what it holds anyway.
const rewritesOfTable = 4;

/** Gathers vectors and stores them where that pays. */
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
    const bytesOfEach = this.#model.dimension * bytesInMemory + messageBytes;
    return Math.max(1, Math.floor(maxPendingBytes / bytesOfEach));
  }

  /** Looks at how rows lie: a fold of another process may have moved them. */
  async refresh(): Promise<void> {
    this.#fragments = await this.#sessions.store.table("messages").fragments();
  }

  /** Takes vectors, and stores all there are if it is time to. */
  async add(vectors: readonly MessageVector[]): Promise<void> {
    this.#pending.push(...vectors);
    if (this.#isDue()) await this.flush();
  }

  /**
   * Stores what is held.
   *
   * @throws {ModelsAtOnceError} where another sync embeds with a model of another dimension.
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
    const rowBytes = this.#model.dimension * bytesStored;
    const allowed = Math.max(this.#policy.maxGarbageBytes, tableRows * rewritesOfTable * rowBytes);
    if (this.#garbageRows * rowBytes < allowed || this.#signal?.aborted) return;
    this.#garbageRows = 0;
    await this.#sessions.store.table("messages").fold({
      isForced: true,
      // A vector index would be trained on what is only begun.
      isWithoutNewIndexes: true,
      onMend: (progress) => this.#onProgress?.(mending("messages", progress)),
      signal: this.#signal,
    });
    await this.refresh();
  }
}
