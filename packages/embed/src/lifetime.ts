import { EmbeddingError } from "./errors.ts";

/** Counts the work in progress, so that closing can wait for it and nothing starts afterwards. */
export class Lifetime {
  readonly #model: string;
  readonly #running = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(model: string) {
    this.#model = model;
  }

  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  /** @throws {EmbeddingError} after {@link close}. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) {
      throw new EmbeddingError({
        model: this.#model,
        reason: "the embedder is closed",
        isOfEveryText: true,
      });
    }
    const running = work();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#running);
  }
}
