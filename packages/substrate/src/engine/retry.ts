import { setTimeout as sleep } from "node:timers/promises";
import { kindOf, toTypedError } from "./native-errors.ts";

export type RetryOptions = {
  readonly signal?: AbortSignal | undefined;
  readonly maxAttempts?: number;
  /** Runs before each new attempt, because a stale handle keeps losing until it is refreshed. */
  readonly refresh?: () => Promise<unknown>;
};

// The engine retries a storage fault several times before it reports it, but conflicts only
// briefly.
const defaults = {
  maxAttempts: 8,
  maxStorageAttempts: 3,
  /** After this time another attempt would only make the wait longer. */
  maxStorageMs: 60_000,
  firstDelayMs: 40,
  maxDelayMs: 2_000,
} as const;

/**
 * Runs a call into Lance with a limited number of retries, exponential backoff and jitter
 * (`lance-retry-jitter`).
 *
 * @throws {ConflictError} if every attempt lost its race.
 * @throws {StorageUnavailableError} for a storage fault that does not pass.
 */
export async function retry<T>(
  place: { readonly table: string; readonly location: string },
  call: () => Promise<T>,
  { signal, maxAttempts = defaults.maxAttempts, refresh }: RetryOptions = {},
): Promise<T> {
  const startedMs = Date.now();
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    try {
      if (attempt > 1) await refresh?.();
      return await call();
    } catch (error) {
      const kind = kindOf(error);
      const isLast =
        kind === "conflict"
          ? attempt >= maxAttempts
          : attempt >= Math.min(maxAttempts, defaults.maxStorageAttempts) ||
            Date.now() - startedMs > defaults.maxStorageMs;
      if (isLast || kind === undefined || kind === "storage") {
        throw toTypedError(place, error, attempt);
      }
      const longest = Math.min(defaults.maxDelayMs, defaults.firstDelayMs * 2 ** (attempt - 1));
      await sleep(Math.random() * longest, undefined, { signal });
    }
  }
}
