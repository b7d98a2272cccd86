import type { Message } from "@pond/canonical";
import { sourceOf } from "@pond/canonical/adapter";
import type { Place } from "./log-tree.ts";

/**
 * Where rows belong that the client wrote down late. What it shows while it waits, such as a try that
 * failed or the progress of a tool, it may write with the next prompt alone: below what it waited for,
 * as if what was answered meanwhile were not there, and the prompt below that. Nobody went back: then
 * the row would not be older than what stands there.
 */
export class LateRows {
  readonly #messages: readonly Message[];
  readonly #places: readonly Place[];
  /** By its parent, the first row below that is a turn. */
  readonly #firstBelow = new Map<number, number>();
  #newestTurn: number | undefined;
  // Thousands of rows may ask for what stands far above, each for another, so of every row it is known
  // how deep it stands and one far above: the way up is halved with each that is passed.
  readonly #depths: number[] = [];
  readonly #far: number[] = [];

  /** @param places - Of the rows before the one that is asked for; they are added to. */
  constructor(messages: readonly Message[], places: readonly Place[]) {
    this.#messages = messages;
    this.#places = places;
  }

  /** The client notes that it went back: no row behind that goes on from what stands before. */
  wentBack(): void {
    this.#newestTurn = undefined;
  }

  /**
   * Rows are asked for one after the other.
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
    this.#measure();
    let at = this.#newestTurn ?? -1;
    while (at > top) {
      const far = this.#far[at] ?? -1;
      // What stands above another comes before it.
      at = far >= top && far < at ? far : (this.#places[at]?.parent ?? -1);
    }
    return at === top;
  }

  /** Takes in the places that were added. */
  #measure(): void {
    const depthOf = (at: number): number => this.#depths[at] ?? 0;
    const farOf = (at: number): number => this.#far[at] ?? at;
    for (let at = this.#far.length; at < this.#places.length; at++) {
      const { parent } = this.#places[at] ?? {};
      this.#depths.push(parent === undefined ? 0 : depthOf(parent) + 1);
      if (parent === undefined) this.#far.push(at);
      else {
        const far = farOf(parent);
        const isAsFar = depthOf(parent) - depthOf(far) === depthOf(far) - depthOf(farOf(far));
        this.#far.push(isAsFar ? farOf(far) : parent);
      }
    }
  }
}
