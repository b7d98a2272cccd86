import { PondError } from "@pond/canonical";
import type { Embedder } from "@pond/embed";
import { VectorsInvalidError } from "./errors.ts";

/** The outcome for one text. */
export type EmbedOutcome =
  | { readonly vector: Float32Array }
  /** It cannot be embedded: it also failed alone. */
  | { readonly error: unknown };

// Finding one failing text among 256 takes nine failing calls. If more fail in a row, the texts may
// not be the reason.
const maxFailuresInRow = 12;

// How long an endpoint may have nothing but a harmless word embedded before it is to blame.
const maxFailingMs = 5 * 60_000;

const tooManyRequests = 429;

// A vector that a model made of length 1 stays as the model made it.
const unitTolerance = 1e-3;

// Any model has a vector for it.
const harmlessText = "pond";

type BatchOptions = {
  readonly now: () => Date;
  /** Called with what went wrong when something is tried again. */
  readonly onRetry: (reason: string) => void;
  readonly signal?: AbortSignal | undefined;
};

/** Embeds batches, and finds the text that makes a batch fail. */
export class BatchEmbedder {
  readonly #embedder: Embedder;
  readonly #options: BatchOptions;
  #failuresInRow = 0;
  /** When the first failure after the last success was. */
  #failingSinceMs: number | undefined;

  constructor(embedder: Embedder, options: BatchOptions) {
    this.#embedder = embedder;
    this.#options = options;
  }

  /**
   * Shows that the model works.
   *
   * @throws Its error if it does not; the signal's reason if that aborts.
   */
  async prove(): Promise<void> {
    await this.#vectorsOf([harmlessText]);
  }

  /**
   * Gives one outcome for each text, in order; those that are known before it throws, too.
   *
   * @param isBrief - Little is tried again.
   * @throws The embedder's error if it does not concern a single text; the signal's reason if that
   * aborts.
   */
  async *embed(texts: readonly string[], isBrief = false): AsyncGenerator<readonly EmbedOutcome[]> {
    let vectors: readonly Float32Array[];
    try {
      vectors = await this.#vectorsOf(texts, isBrief);
    } catch (error) {
      this.#options.signal?.throwIfAborted();
      const isLimited = statusOf(error) === tooManyRequests;
      if (isLimited && isBrief) {
        yield* this.embed(texts);
        return;
      }
      this.#failingSinceMs ??= this.#nowMs();
      this.#failuresInRow += 1;
      if (isModelError(error) && !(await this.#areTextsRefused(error, texts.length))) throw error;
      if (this.#failuresInRow > maxFailuresInRow) {
        await this.prove();
        this.#failuresInRow = 0;
      }
      if (texts.length === 1) {
        yield [{ error }];
        return;
      }
      this.#options.onRetry(reasonOf(error));
      const middle = Math.ceil(texts.length / 2);
      for (const half of [texts.slice(0, middle), texts.slice(middle)]) {
        // Enough was tried, except where waiting is all that helps.
        yield* this.embed(half, !isLimited);
      }
      return;
    }
    this.#failuresInRow = 0;
    this.#failingSinceMs = undefined;
    yield vectors.map((vector) => ({ vector }));
  }

  /**
   * Whether an endpoint that seems to fail on every text still answers another one. A firewall
   * refuses a text as if the key were wrong, and a gateway that looks for secrets hangs up.
   */
  async #areTextsRefused(error: PondError, count: number): Promise<boolean> {
    if (error.code !== "embedding_failed") return false;
    const isLimited = statusOf(error) === tooManyRequests;
    // Fewer texts may stay below a limit of tokens in a minute; a single one has to wait.
    if (isLimited && count === 1) return false;
    const isRetried = Number(error.details["attempts"] ?? 1) > 1;
    if (isRetried && this.#isFailingForLong()) return false;
    try {
      // A server that broke down over a text needs a while to be back.
      await this.#vectorsOf([harmlessText], isLimited);
      return true;
    } catch {
      this.#options.signal?.throwIfAborted();
      return false;
    }
  }

  #isFailingForLong(): boolean {
    const failingMs = this.#nowMs() - (this.#failingSinceMs ?? this.#nowMs());
    return this.#failuresInRow > maxFailuresInRow && failingMs > maxFailingMs;
  }

  #nowMs(): number {
    return this.#options.now().getTime();
  }

  async #vectorsOf(texts: readonly string[], isBrief = false): Promise<readonly Float32Array[]> {
    const { signal, onRetry } = this.#options;
    signal?.throwIfAborted();
    const options = { kind: "passage", isBrief, onRetry, ...(signal && { signal }) } as const;
    const vectors = await this.#embedder.embed(texts, options);
    return this.#checked(vectors, texts.length);
  }

  /**
   * The vectors at length 1, which a store can always hold: nearness depends only on direction.
   *
   * @throws {VectorsInvalidError} for vectors that must not be stored.
   */
  #checked(vectors: readonly Float32Array[], expected: number): readonly Float32Array[] {
    const { modelId, dimension } = this.#embedder;
    if (vectors.length !== expected) {
      throw new VectorsInvalidError(modelId, `${vectors.length} vectors for ${expected} texts`);
    }
    return vectors.map((vector) => {
      if (vector.length !== dimension) {
        const reason = `a vector of ${vector.length} numbers, not ${dimension}`;
        throw new VectorsInvalidError(modelId, reason);
      }
      let sum = 0;
      for (const number of vector) sum += number * number;
      // Nothing is near to either, and the engine does not say why.
      if (!Number.isFinite(sum)) throw new VectorsInvalidError(modelId, "a vector with NaN");
      if (sum === 0) throw new VectorsInvalidError(modelId, "a vector of zeros");
      const length = Math.sqrt(sum);
      return Math.abs(length - 1) < unitTolerance ? vector : vector.map((each) => each / length);
    });
  }
}

function reasonOf(error: unknown): string {
  if (PondError.is(error) && error.code === "embedding_failed")
    return String(error.details["reason"]);
  return error instanceof Error ? error.message : String(error);
}

function statusOf(error: unknown): unknown {
  return PondError.is(error) ? error.details["status"] : undefined;
}

/** True if no text seems to be embeddable: no model, no runtime, nothing that answers. */
function isModelError(error: unknown): error is PondError {
  if (!PondError.is(error) || error.code === "vectors_invalid") return false;
  return error.code !== "embedding_failed" || error.details["isOfEveryText"] === true;
}
