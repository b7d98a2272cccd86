import type { IncomingMessage } from "node:http";
import { ClientGoneError } from "./in-flight.ts";
import { busy, refused } from "./refusals.ts";

/** Counts the bytes of all bodies held at one time. */
export class HeldBytes {
  readonly #max: number;
  #held = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Returns false, and takes nothing, if it would be too much. */
  take(bytes: number): boolean {
    if (this.#held + bytes > this.#max) return false;
    this.#held += bytes;
    return true;
  }

  free(bytes: number): void {
    this.#held -= bytes;
  }
}

export type ReadOptions = {
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly held: HeldBytes;
  readonly signal: AbortSignal;
};

/** A body, and a function that releases it. */
export type Body = { readonly bytes: Buffer; readonly release: () => void };

/**
 * Reads a whole body. A refused one is left unread: see `lingering.ts`.
 *
 * @throws {WireError} `validation_failed` if it is too large or too slow, `storage_unavailable` if
 * too many others are being read.
 * @throws {ClientGoneError} if the connection ends first.
 * @throws The signal's reason, once it is aborted.
 */
export function readBody(
  request: IncomingMessage,
  { maxBytes, timeoutMs, held, signal }: ReadOptions,
): Promise<Body> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const tooLarge = (): void =>
      fail(
        refused("body_too_large", `the body is larger than ${maxBytes} bytes`, { limit: maxBytes }),
      );
    const take = (chunk: Buffer): void => {
      if (bytes + chunk.length > maxBytes) tooLarge();
      else if (!held.take(chunk.length)) fail(busy("bodies_held"));
      else {
        bytes += chunk.length;
        chunks.push(chunk);
      }
    };
    const end = (): void => {
      stop();
      let isReleased = false;
      const release = (): void => {
        if (!isReleased) held.free(bytes);
        isReleased = true;
      };
      resolve({ bytes: Buffer.concat(chunks, bytes), release });
    };
    const abort = (): void => fail(signal.reason);
    const disconnect = (): void => fail(new ClientGoneError());
    const fail = (reason: unknown): void => {
      stop();
      held.free(bytes);
      reject(reason);
    };
    const timer = setTimeout(() => {
      const message = `the body took longer than ${timeoutMs} ms`;
      fail(refused("body_too_slow", message, { limit: timeoutMs }));
    }, timeoutMs);
    const stop = (): void => {
      clearTimeout(timer);
      request.off("data", take).off("end", end).off("error", disconnect);
      signal.removeEventListener("abort", abort);
    };

    if (signal.aborted) return abort();
    if (Number(request.headers["content-length"]) > maxBytes) return tooLarge();
    request.on("data", take).on("end", end).on("error", disconnect);
    signal.addEventListener("abort", abort, { once: true });
  });
}
