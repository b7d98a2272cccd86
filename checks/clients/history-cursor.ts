import type { HistoryItem } from "./model-history.ts";

/** A place in a history. Whatever is sought next has to come after it. */
export class HistoryCursor {
  readonly #history: readonly HistoryItem[];
  /** The item of the last match. */
  #item: number;
  /** The end of the match in that item. */
  #end: number;

  constructor(history: readonly HistoryItem[], item = 0, end = 0) {
    this.#history = history;
    this.#item = item;
    this.#end = end;
  }

  get item(): number {
    return this.#item;
  }

  copy(): HistoryCursor {
    return new HistoryCursor(this.#history, this.#item, this.#end);
  }

  /** Finds the next item that matches and moves after the match; stays if there is none. */
  seek(endOf: (item: HistoryItem, from: number) => number | undefined): HistoryItem | undefined {
    for (let index = this.#item; index < this.#history.length; index++) {
      const item = this.#history[index];
      const end = item && endOf(item, index === this.#item ? this.#end : 0);
      if (end === undefined) continue;
      [this.#item, this.#end] = [index, end];
      return item;
    }
    return undefined;
  }

  /** Moves to the place of another cursor if that is further on. */
  catchUp(other: HistoryCursor): void {
    const isBehind =
      this.#item < other.#item || (this.#item === other.#item && this.#end < other.#end);
    if (isBehind) [this.#item, this.#end] = [other.#item, other.#end];
  }
}
