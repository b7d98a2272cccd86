import type { Message } from "@pond/canonical";
import { sourceOf } from "@pond/canonical/adapter";
import type { Place } from "./log-tree.ts";

/**
 * Finds the place of rows that the client wrote down late. What it shows while it waits, such as a
 * failed attempt or the progress of a tool, it may write only with the next prompt: below what it
 * waited for, as if nothing had been answered meanwhile, and the prompt below that. This does not
 * mean that somebody went back; in that case the row would not be older than what is there.
 */
export class LateRows {
  readonly #messages: readonly Message[];
  readonly #places: readonly Place[];
  /** By its parent: the first row below it that is a turn. */
  readonly #firstBelow = new Map<number, number>();
  #newestTurn: number | undefined;
  // Thousands of rows may each ask for another row far above. So the depth of every row is known,
  // and one row far above it to jump to: each jump halves the way up.
  readonly #depths: number[] = [];
  readonly #jumps: number[] = [];

  /** @param places - Of the rows before the one in question; they are added to. */
  constructor(messages: readonly Message[], places: readonly Place[]) {
    this.#messages = messages;
    this.#places = places;
  }

  /**
   * Call it when the client notes that it went back: no later row continues from what is before.
   */
  noteRewind(): void {
    this.#newestTurn = undefined;
  }

  /**
   * Ask for rows in order.
   *
   * @param named - The parent that the row names.
   */
  parentOf(index: number, named: number | undefined): number | undefined {
    const message = this.#messages[index];
    if (message === undefined || named === undefined) return named;
    if (message.role === "system") return this.#isLate(message, named) ? this.#newestTurn : named;
    if (!this.#firstBelow.has(named)) this.#firstBelow.set(named, index);
    this.#newestTurn = index;
    return named;
  }

  #isLate(message: Message, named: number): boolean {
    const first = this.#firstBelow.get(named);
    const newest = this.#messages[this.#newestTurn ?? -1];
    if (first === undefined || newest === undefined) return false;
    const hasTime = sourceOf(message)["time"] !== "session";
    return hasTime && message.timestamp < newest.timestamp && this.#isNewestBelow(first);
  }

  #isNewestBelow(top: number): boolean {
    this.#addPlaces();
    let at = this.#newestTurn ?? -1;
    while (at > top) {
      const jump = this.#jumps[at] ?? -1;
      // A row above another one comes before it.
      at = jump >= top && jump < at ? jump : (this.#places[at]?.parent ?? -1);
    }
    return at === top;
  }

  /** Takes in the places that were added. */
  #addPlaces(): void {
    const depthOf = (at: number): number => this.#depths[at] ?? 0;
    const jumpOf = (at: number): number => this.#jumps[at] ?? at;
    for (let at = this.#jumps.length; at < this.#places.length; at++) {
      const { parent } = this.#places[at] ?? {};
      this.#depths.push(parent === undefined ? 0 : depthOf(parent) + 1);
      if (parent === undefined) this.#jumps.push(at);
      else {
        const jump = jumpOf(parent);
        const isSameDistance =
          depthOf(parent) - depthOf(jump) === depthOf(jump) - depthOf(jumpOf(jump));
        this.#jumps.push(isSameDistance ? jumpOf(jump) : parent);
      }
    }
  }
}
