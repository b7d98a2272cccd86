import { OverBudgetError, ReadBudget } from "./read-budget.ts";

/** How much is read together. */
export type BatchSize = {
  /** About how many bytes; if it becomes four times as many, less is read. */
  readonly bytes: number;
  /** How many until their size is known. */
  readonly first: number;
  /** How many at most, however small they are. */
  readonly most: number;
};

/** Reads what may be large, as many at a time as fit. */
export class Batches<Item, Read> {
  readonly #load: (items: readonly Item[], budget: ReadBudget) => Promise<Read[]>;
  readonly #size: BatchSize;
  #count: number;
  #bytesEach = 0;

  /** @param load - Throws an {@link OverBudgetError} before it holds more than the budget. */
  constructor(
    load: (items: readonly Item[], budget: ReadBudget) => Promise<Read[]>,
    size: BatchSize,
  ) {
    this.#load = load;
    this.#size = size;
    this.#count = size.first;
  }

  /** How many fit together if all are as large as those of the largest batch so far. */
  get fitting(): number {
    const { bytes, most } = this.#size;
    return Math.max(1, Math.min(most, Math.floor(bytes / this.#bytesEach)));
  }

  /**
   * The first of these, at least one.
   *
   * @param whole - How much may be read of all that is read with it.
   * @throws {OverBudgetError} if that is not enough.
   */
  async read(items: readonly Item[], whole: ReadBudget = new ReadBudget()): Promise<Read[]> {
    const { bytes, most } = this.#size;
    for (;;) {
      const some = items.slice(0, this.#count);
      const limit = some.length > 1 ? 4 * bytes : Number.POSITIVE_INFINITY;
      const budget = new ReadBudget(Math.min(limit, whole.left));
      try {
        const read = await this.#load(some, budget);
        whole.spendBytes(budget.spent);
        this.#bytesEach = Math.max(this.#bytesEach, budget.spent / some.length);
        return read;
      } catch (error) {
        if (!(error instanceof OverBudgetError) || budget.spent > whole.left) throw error;
      } finally {
        const fitting = Math.floor((bytes / budget.spent) * some.length);
        // A small one among large ones says nothing about the next ones.
        this.#count = Math.max(1, Math.min(most, fitting, 4 * some.length));
      }
    }
  }

  /** All of these, batch by batch. */
  async *readAll(items: readonly Item[]): AsyncGenerator<Read[]> {
    for (let next = 0; next < items.length; ) {
      const read = await this.read(items.slice(next));
      next += read.length;
      yield read;
    }
  }
}
