import type { Message } from "@pond/canonical";
import { sourceOf } from "@pond/canonical/adapter";
import type { Place } from "./log-tree.ts";

type Known = { readonly top: number; readonly isBelow: Map<number, boolean> };

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
  /** Which rows stand below the one asked for last: thousands may ask for it, each from far below. */
  #known: Known = { top: -1, isBelow: new Map() };

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
    if (this.#known.top !== top) this.#known = { top, isBelow: new Map([[top, true]]) };
    const { isBelow } = this.#known;
    const passed: number[] = [];
    let at = this.#newestTurn;
    while (at !== undefined && at > top && !isBelow.has(at)) {
      passed.push(at);
      at = this.#places[at]?.parent;
    }
    const answer = at !== undefined && isBelow.get(at) === true;
    for (const row of passed) isBelow.set(row, answer);
    return answer;
  }
}
