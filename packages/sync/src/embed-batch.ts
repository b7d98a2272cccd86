import { PondError } from "@pond/canonical";
import type { Embedder, EmbedKind } from "@pond/embed";
import { VectorsInvalidError } from "./errors.ts";

/** The outcome for one text. */
export type EmbedOutcome =
  | { readonly vector: Float32Array }
  /** It cannot be embedded: it also failed alone. */
  | { readonly error: unknown };

// Finding one failing text among 256 takes nine failing calls. If more fail in a row, the texts may
// not be the reason.
const maxFailuresInRow = 12;

// A vector that a model made of length 1 stays as the model made it.
const unitTolerance = 1e-3;

// Any model has a vector for it.
const harmlessText = "pond";

/** Embeds batches, and finds the text that makes a batch fail. */
export class BatchEmbedder {
  readonly #embedder: Embedder;
  readonly #signal: AbortSignal | undefined;
  #failuresInRow = 0;

  constructor(embedder: Embedder, signal: AbortSignal | undefined) {
    this.#embedder = embedder;
    this.#signal = signal;
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
   * Returns one outcome for each text, in order.
   *
   * @throws The embedder's error if it does not concern a single text; the signal's reason if that
   * aborts.
   */
  async embed(texts: readonly string[]): Promise<EmbedOutcome[]> {
    let vectors: readonly Float32Array[];
    try {
      vectors = await this.#vectorsOf(texts);
    } catch (error) {
      this.#signal?.throwIfAborted();
      this.#failuresInRow += 1;
      if (isModelError(error) && !(await this.#areTextsRefused(error, texts.length))) throw error;
      if (this.#failuresInRow > maxFailuresInRow) {
        await this.prove();
        this.#failuresInRow = 0;
      }
      if (texts.length === 1) return [{ error }];
      const middle = Math.ceil(texts.length / 2);
      const first = await this.embed(texts.slice(0, middle));
      return [...first, ...(await this.embed(texts.slice(middle)))];
    }
    this.#failuresInRow = 0;
    return vectors.map((vector) => ({ vector }));
  }

  /**
   * Whether an endpoint that seems to fail on every text still answers another one. A firewall
   * refuses a text as if the key were wrong, and a gateway that looks for secrets hangs up.
   */
  async #areTextsRefused({ code, details }: PondError, count: number): Promise<boolean> {
    if (code !== "embedding_failed") return false;
    // Fewer texts may stay below a limit of tokens in a minute; a single one has to wait.
    if (details["status"] === 429 && count === 1) return false;
    // Each of these failures took a while.
    const isRetried = Number(details["attempts"] ?? 1) > 1;
    if (isRetried && this.#failuresInRow > maxFailuresInRow) return false;
    try {
      // Enough was tried before this, so it gets the effort of a query.
      await this.#vectorsOf([harmlessText], "query");
      return true;
    } catch {
      this.#signal?.throwIfAborted();
      return false;
    }
  }

  async #vectorsOf(
    texts: readonly string[],
    kind: EmbedKind = "passage",
  ): Promise<readonly Float32Array[]> {
    this.#signal?.throwIfAborted();
    const options = { kind, ...(this.#signal && { signal: this.#signal }) };
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

/** True if no text seems to be embeddable: no model, no runtime, nothing that answers. */
function isModelError(error: unknown): error is PondError {
  if (!PondError.is(error) || error.code === "vectors_invalid") return false;
  return error.code !== "embedding_failed" || error.details["isOfEveryText"] === true;
}
