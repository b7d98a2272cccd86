import type { Concurrency } from "./limits.ts";
import { busy } from "./refusals.ts";

/**
 * Lets so many requests run at a time and so many wait in order of arrival; everyone beyond is
 * refused at once. A queue without an end would answer everybody too late.
 */
export class Gate {
  readonly #concurrency: Concurrency;
  readonly #waiting: Set<() => void> = new Set();
  #running = 0;

  constructor(concurrency: Concurrency) {
    this.#concurrency = concurrency;
  }

  get isFull(): boolean {
    const { running, waiting } = this.#concurrency;
    return this.#running >= running && this.#waiting.size >= waiting;
  }

  /**
   * Waits for a place. The returned function frees it, once, however often it is called.
   *
   * @throws {WireError} `storage_unavailable` if all places are taken.
   * @throws The signal's reason, once it is aborted.
   */
  async enter(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.isFull) throw busy("queue_full");
    if (this.#running < this.#concurrency.running) this.#running += 1;
    else await this.#wait(signal);
    let isLeft = false;
    return () => {
      if (isLeft) return;
      isLeft = true;
      this.#leave();
    };
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = (): void => {
        signal.removeEventListener("abort", giveUp);
        resolve();
      };
      const giveUp = (): void => {
        this.#waiting.delete(start);
        reject(signal.reason);
      };
      signal.addEventListener("abort", giveUp, { once: true });
      this.#waiting.add(start);
    });
  }

  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    // The place passes to whoever has waited longest, so `#running` stays.
    this.#waiting.delete(next);
    next();
  }
}
