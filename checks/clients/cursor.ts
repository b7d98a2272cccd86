import type { Heard } from "./heard.ts";

/** A place in a history. Whatever is sought next has to come after it. */
export class Cursor {
  readonly #heard: readonly Heard[];
  /** The item of the last match. */
  #item: number;
  /** The end of the match in that item. */
  #end: number;

  constructor(heard: readonly Heard[], item = 0, end = 0) {
    this.#heard = heard;
    this.#item = item;
    this.#end = end;
  }

  get item(): number {
    return this.#item;
  }

  copy(): Cursor {
    return new Cursor(this.#heard, this.#item, this.#end);
  }

  /** Finds the next item that matches and moves after the match; stays if there is none. */
  seek(endOf: (heard: Heard, from: number) => number | undefined): Heard | undefined {
    for (let index = this.#item; index < this.#heard.length; index++) {
      const heard = this.#heard[index];
      const end = heard && endOf(heard, index === this.#item ? this.#end : 0);
      if (end === undefined) continue;
      [this.#item, this.#end] = [index, end];
      return heard;
    }
    return undefined;
  }

  /** Moves to the place of another cursor if that is further on. */
  catchUp(other: Cursor): void {
    const isBehind =
      this.#item < other.#item || (this.#item === other.#item && this.#end < other.#end);
    if (isBehind) [this.#item, this.#end] = [other.#item, other.#end];
  }
}
