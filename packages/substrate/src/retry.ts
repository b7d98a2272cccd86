import { setTimeout as sleep } from "node:timers/promises";
import { ConflictError, StorageUnavailableError, SubstrateError } from "./errors.ts";

// Every native error has the code "GenericFailure": only the message tells them apart.
// The first three are of rows and indexes made just before another process renewed their column.
const conflict =
  /index referenced a field|different schema|column \d+ does not exist|retryable commit conflict|too many concurrent writers|commit conflict|preempted by concurrent|incompatible transaction|merge insert timed out/i;
const transient =
  /timed? ?out|connection (reset|refused|closed)|service unavailable|slow ?down|internal server error|bad gateway|temporarily|broken pipe|too many requests/i;
const storage =
  /object store|io error|lance error: io|no space|quota|permission denied|read-only|os error/i;

export type RetryOptions = {
  readonly signal?: AbortSignal | undefined;
  readonly maxAttempts?: number;
  /** Runs before each new attempt: a stale handle keeps losing until it is refreshed. */
  readonly refresh?: () => Promise<unknown>;
};

// The engine has tried ten times before it reports a storage fault, but conflicts only briefly.
const defaults = {
  maxAttempts: 8,
  maxStorageAttempts: 3,
  firstDelayMs: 40,
  maxDelayMs: 2_000,
} as const;

/**
 * Runs a call into Lance with bounded retry, exponential backoff and jitter
 * (`lance-retry-jitter`).
 *
 * @throws {ConflictError} when every attempt lost its race.
 * @throws {StorageUnavailableError} for a storage fault that does not pass.
 */
export async function retry<T>(
  place: { readonly table: string; readonly location: string },
  call: () => Promise<T>,
  { signal, maxAttempts = defaults.maxAttempts, refresh }: RetryOptions = {},
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    try {
      if (attempt > 1) await refresh?.();
      return await call();
    } catch (error) {
      if (error instanceof SubstrateError || !(error instanceof Error)) throw error;
      const isConflict = conflict.test(error.message);
      const isTransient = isConflict || transient.test(error.message);
      const attempts = isConflict
        ? maxAttempts
        : Math.min(maxAttempts, defaults.maxStorageAttempts);
      if (!isTransient || attempt >= attempts) {
        if (isConflict) throw new ConflictError(place.table, attempt, { cause: error });
        if (isTransient || storage.test(error.message)) throw unavailable(place, error);
        throw error;
      }
      const longest = Math.min(defaults.maxDelayMs, defaults.firstDelayMs * 2 ** (attempt - 1));
      await sleep(Math.random() * longest, undefined, { signal });
    }
  }
}

function unavailable(place: { readonly location: string }, cause: Error): StorageUnavailableError {
  // What follows the first line is the native call stack.
  return new StorageUnavailableError(place.location, cause.message.split("\n")[0] ?? "", { cause });
}
