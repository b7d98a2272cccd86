import { PondError } from "@pond/canonical";
import type { Embedder } from "@pond/embed";
import { VectorsInvalidError } from "./errors.ts";

/** What became of one text. */
export type EmbedOutcome =
  | { readonly vector: Float32Array }
  /** It can not be embedded: it failed alone, too. */
  | { readonly error: unknown };

// One text that fails among 256 takes nine failing calls to be found. Where more fail in a row it
// is not the text.
const maxFailuresInRow = 12;

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
   * One outcome a text, in their order.
   *
   * @throws The embedder's error where it is not one text's; the signal's reason where it aborts.
   */
  async embed(texts: readonly string[]): Promise<EmbedOutcome[]> {
    this.#signal?.throwIfAborted();
    let vectors: readonly Float32Array[];
    try {
      const options = { kind: "passage", ...(this.#signal && { signal: this.#signal }) } as const;
      vectors = await this.#embedder.embed(texts, options);
      this.#check(vectors, texts.length);
    } catch (error) {
      this.#signal?.throwIfAborted();
      this.#failuresInRow += 1;
      if (isOfModel(error) || this.#failuresInRow > maxFailuresInRow) throw error;
      if (texts.length === 1) return [{ error }];
      const middle = Math.ceil(texts.length / 2);
      const first = await this.embed(texts.slice(0, middle));
      return [...first, ...(await this.embed(texts.slice(middle)))];
    }
    this.#failuresInRow = 0;
    return vectors.map((vector) => ({ vector }));
  }

  /** @throws {VectorsInvalidError} for what must not be stored. */
  #check(vectors: readonly Float32Array[], expected: number): void {
    const { modelId, dimension } = this.#embedder;
    if (vectors.length !== expected) {
      throw new VectorsInvalidError(modelId, `${vectors.length} vectors for ${expected} texts`);
    }
    for (const vector of vectors) {
      if (vector.length !== dimension) {
        const reason = `a vector of ${vector.length} numbers, not ${dimension}`;
        throw new VectorsInvalidError(modelId, reason);
      }
      let sum = 0;
      for (const number of vector) sum += number * number;
      // Nothing is near to either, and the engine does not say why.
      if (!Number.isFinite(sum)) throw new VectorsInvalidError(modelId, "a vector with NaN");
      if (sum === 0) throw new VectorsInvalidError(modelId, "a vector of zeros");
    }
  }
}

/** True where no text can be embedded: no model, half a model, no runtime, nothing that answers. */
function isOfModel(error: unknown): boolean {
  if (!PondError.is(error) || error.code === "vectors_invalid") return false;
  return error.code !== "embedding_failed" || error.details["isOfEveryText"] === true;
}
