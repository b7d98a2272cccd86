import { PondError } from "@pond/canonical";
import type { Embedder } from "@pond/embed";
import { VectorsInvalidError } from "./errors.ts";

/** What became of one text. */
export type EmbedOutcome =
  | { readonly vector: Float32Array }
  /** It can not be embedded: it failed alone, too. */
  | { readonly error: unknown };

// One text that fails among 256 takes nine failing calls to be found. Where more fail in a row it
// may not be the texts.
const maxFailuresInRow = 12;

// What a model made of length 1 stays as it made it.
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
   * @throws Its error where it does not; the signal's reason where it aborts.
   */
  async prove(): Promise<void> {
    await this.#vectorsOf([harmlessText]);
  }

  /**
   * One outcome a text, in their order.
   *
   * @throws The embedder's error where it is not one text's; the signal's reason where it aborts.
   */
  async embed(texts: readonly string[]): Promise<EmbedOutcome[]> {
    let vectors: readonly Float32Array[];
    try {
      vectors = await this.#vectorsOf(texts);
    } catch (error) {
      this.#signal?.throwIfAborted();
      if (isOfModel(error)) throw error;
      this.#failuresInRow += 1;
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

  async #vectorsOf(texts: readonly string[]): Promise<readonly Float32Array[]> {
    this.#signal?.throwIfAborted();
    const options = { kind: "passage", ...(this.#signal && { signal: this.#signal }) } as const;
    const vectors = await this.#embedder.embed(texts, options);
    return this.#checked(vectors, texts.length);
  }

  /**
   * The vectors at length 1, which is what a store can hold of any: nearness goes by direction.
   *
   * @throws {VectorsInvalidError} for what must not be stored.
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

/** True where no text can be embedded: no model, half a model, no runtime, nothing that answers. */
function isOfModel(error: unknown): boolean {
  if (!PondError.is(error) || error.code === "vectors_invalid") return false;
  return error.code !== "embedding_failed" || error.details["isOfEveryText"] === true;
}
