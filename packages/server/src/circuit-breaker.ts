import type { Embedder, EmbedOptions } from "@pond/embed";

/** How long a model is left alone after it took all the time that a search has for it. */
const cooldownMs = 10_000;

/**
 * Wraps a model so that not every search waits for it while it does not answer. Otherwise each
 * search would hold its place in the meantime, and those waiting for a place would not be answered
 * at all. Once a search has timed out, others go on without a vector; after a rest, one of them
 * asks the model again.
 */
export class CircuitBreaker implements Embedder {
  readonly modelId: string;
  readonly dimension: number;
  readonly limits: Embedder["limits"];
  readonly #embedder: Embedder;
  readonly #now: () => number;
  /** Set while it is open. */
  #open: { readonly reason: unknown; readonly untilMs: number } | undefined;
  #isProbing = false;

  constructor(embedder: Embedder, now: () => number = () => performance.now()) {
    this.modelId = embedder.modelId;
    this.dimension = embedder.dimension;
    this.limits = embedder.limits;
    this.#embedder = embedder;
    this.#now = now;
  }

  /** @throws At once the error of the last search that timed out, if nobody is to ask the model. */
  async embed(texts: readonly string[], options: EmbedOptions): Promise<readonly Float32Array[]> {
    const { signal } = options;
    signal?.throwIfAborted();
    const isProbe = this.#open !== undefined;
    if (this.#open && (this.#isProbing || this.#now() < this.#open.untilMs))
      throw this.#open.reason;
    if (isProbe) this.#isProbing = true;
    // Not every model stops working on a text when it is told to.
    const onAbort = (): void => {
      if (isProbe) this.#isProbing = false;
      if (isTimeout(signal))
        this.#open = { reason: signal.reason, untilMs: this.#now() + cooldownMs };
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      const vectors = await this.#embedder.embed(texts, options);
      this.#open = undefined;
      return vectors;
    } catch (error) {
      // It answers, even if not with vectors.
      if (!signal?.aborted) this.#open = undefined;
      throw error;
    } finally {
      if (isProbe) this.#isProbing = false;
      signal?.removeEventListener("abort", onAbort);
    }
  }

  close(): Promise<void> {
    return this.#embedder.close();
  }
}

function isTimeout(signal: AbortSignal | undefined): signal is AbortSignal {
  const { reason } = signal ?? {};
  return reason instanceof DOMException && reason.name === "TimeoutError";
}
