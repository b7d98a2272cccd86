import { type Address, readAddress } from "./address.ts";
import { type Clock, systemClock } from "./clock.ts";

/** Which server to ask, and how. */
export type ClientOptions = {
  /** The address of the server, such as `http://127.0.0.1:7070`. */
  readonly url: string | URL;
  /** The tenant to ask for, unless a request names another. */
  readonly namespace?: string | undefined;
  /** Sent with every request, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** How often a request is repeated if another try may succeed; default 4. */
  readonly retries?: number | undefined;
  /** Timeout of each try, from sending to the last byte of the answer; default 130,000. */
  readonly timeoutMs?: number | undefined;
  /** The longest answer to accept; default 256 MiB. */
  readonly maxAnswerBytes?: number | undefined;
  /** Used instead of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
};

/** {@link ClientOptions}, complete and checked. */
export type Settings = {
  readonly address: Address;
  readonly namespace: string | undefined;
  readonly headers: Headers;
  readonly retries: number;
  readonly timeoutMs: number;
  readonly maxAnswerBytes: number;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
};

// A server itself gives up after two minutes; its answer then should still arrive. It restores 64
// MiB of files at once, which JSON and base64 make larger.
const defaults = { retries: 4, timeoutMs: 130_000, maxAnswerBytes: 256 * 1024 * 1024 } as const;
// A longer timer fires at once.
const maxTimeoutMs = 2 ** 31 - 1;

/**
 * @throws {TypeError | RangeError} for an address, header, number or function that makes no sense,
 * and if the runtime is too old.
 */
export function readSettings(options: ClientOptions, clock: Clock = systemClock): Settings {
  requireRawJson();
  const headers = new Headers(options.headers);
  headers.set("content-type", "application/json");
  headers.set("accept", "application/json");
  return {
    address: readAddress(options.url),
    namespace: options.namespace,
    headers,
    retries: requireWholeNumber("retries", options.retries ?? defaults.retries, 0, 100),
    timeoutMs: readTimeout(options.timeoutMs ?? defaults.timeoutMs),
    maxAnswerBytes: requireWholeNumber(
      "maxAnswerBytes",
      options.maxAnswerBytes ?? defaults.maxAnswerBytes,
      1,
      // The longest possible text.
      512 * 1024 * 1024,
    ),
    fetch: readFetch(options.fetch),
    clock,
  };
}

/** Every answer is read with it. Without it, no answer would seem to be JSON. */
function requireRawJson(): void {
  if (typeof JSON.isRawJSON === "function") return;
  throw new TypeError(
    "this runtime is too old: it has no JSON.rawJSON, which keeps every digit of a number; Node.js 22 has it",
  );
}

function readFetch(own: typeof fetch | undefined): typeof fetch {
  // Browsers want `fetch` to be called as a function of the window.
  if (own === undefined) return (input, init) => fetch(input, init);
  if (typeof own === "function") return own;
  throw new TypeError("fetch: expected a function");
}

/** @throws {RangeError} for a time that no timer can wait. */
export function readTimeout(timeoutMs: number): number {
  return requireWholeNumber("timeoutMs", timeoutMs, 1, maxTimeoutMs);
}

/** @throws {RangeError} for a number that is not whole or is out of range. */
export function requireWholeNumber(name: string, value: number, min: number, max: number): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new RangeError(`${name}: expected a whole number from ${min} to ${max}`);
}
