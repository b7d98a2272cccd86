import type { ServerResponse } from "node:http";

/**
 * The answers that their clients have not read yet. A client that asks for much and reads slowly,
 * or not at all, would fill the memory with them.
 */
export class Outbox {
  readonly #maxBytes: number;
  readonly #timeoutMs: number;
  #bytes = 0;

  constructor(maxBytes: number, timeoutMs: number) {
    this.#maxBytes = maxBytes;
    this.#timeoutMs = timeoutMs;
  }

  /** True while no new work should begin. */
  get isFull(): boolean {
    return this.#bytes >= this.#maxBytes;
  }

  /** Counts an answer until it has been sent; closes its connection if that takes too long. */
  hold(response: ServerResponse, bytes: number): void {
    this.#bytes += bytes;
    const timer = setTimeout(() => response.destroy(), this.#timeoutMs);
    response.once("close", () => {
      clearTimeout(timer);
      this.#bytes -= bytes;
    });
  }
}
