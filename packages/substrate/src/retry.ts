import { setTimeout as sleep } from "node:timers/promises";
import { ConflictError, StorageUnavailableError, SubstrateError } from "./errors.ts";

const conflict =
  /retryable commit conflict|too many concurrent writers|commit conflict|preempted by concurrent|incompatible transaction|merge insert timed out/i;
const transient =
  /timed? ?out|connection (reset|refused|closed)|service unavailable|slow ?down|\b50[0234]\b|temporarily|broken pipe|too many requests/i;

export type RetryOptions = {
  readonly signal?: AbortSignal | undefined;
  readonly maxAttempts?: number;
  /** Runs before each new attempt: a stale handle keeps losing until it is refreshed. */
  readonly refresh?: () => Promise<unknown>;
};

/**
 * Runs a call into Lance with bounded retry, exponential backoff and jitter
 * (`lance-retry-jitter`).
 *
 * @throws {ConflictError} when every attempt lost its race.
 * @throws {StorageUnavailableError} when every attempt met a storage fault.
 */
export async function retry<T>(
  place: { readonly table: string; readonly location: string },
  call: () => Promise<T>,
  { signal, maxAttempts = 8, refresh }: RetryOptions = {},
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    try {
      return await call();
    } catch (error) {
      if (error instanceof SubstrateError || !(error instanceof Error)) throw error;
      const isConflict = conflict.test(error.message);
      if (!isConflict && !transient.test(error.message)) throw translate(place, error);
      if (attempt === maxAttempts) {
        if (isConflict) throw new ConflictError(place.table, attempt, { cause: error });
        throw unavailable(place, error);
      }
      await sleep(Math.random() * Math.min(2000, 20 * 2 ** attempt), undefined, { signal });
      await refresh?.();
    }
  }
}

function translate(place: { readonly location: string }, error: Error): Error {
  return /object store|io error|lance error: io|no space|permission denied|read-only/i.test(
    error.message,
  )
    ? unavailable(place, error)
    : error;
}

function unavailable(place: { readonly location: string }, cause: Error): StorageUnavailableError {
  return new StorageUnavailableError(place.location, cause.message.split("\n")[0] ?? "", { cause });
}
