import { setTimeout as sleep } from "node:timers/promises";

// Most calls take less, and then leave nothing behind.
const gracePeriodMs = 1_000;

/**
 * Returns the result of a call; if a signal comes first, throws its reason, at most a second later.
 * The engine cannot be stopped: it completes a commit as a whole even then, and ends with the
 * process.
 */
export async function untilAborted<T>(
  call: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (signal === undefined) return call();
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const ended = new AbortController();
  const giveUp = async (): Promise<void> => {
    await sleep(gracePeriodMs, undefined, { signal: ended.signal }).catch(() => undefined);
    reject(signal.reason);
  };
  signal.addEventListener("abort", giveUp);
  const running = call();
  try {
    return await Promise.race([running, aborted]);
  } finally {
    signal.removeEventListener("abort", giveUp);
    // Nobody listens to either any more.
    for (const promise of [running, aborted]) promise.catch(() => undefined);
    ended.abort();
  }
}
