import { setTimeout as sleep } from "node:timers/promises";

// Most calls end in less, and then nothing of them is left behind.
const patienceMs = 1_000;

/**
 * What a call gives; where a signal comes first, its reason, at most a second later. The engine cannot
 * be told to stop: what it commits it commits whole, then as well, and it ends with the process.
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
    await sleep(patienceMs, undefined, { signal: ended.signal }).catch(() => undefined);
    reject(signal.reason);
  };
  signal.addEventListener("abort", giveUp);
  const running = call();
  try {
    return await Promise.race([running, aborted]);
  } finally {
    signal.removeEventListener("abort", giveUp);
    // Neither is heard any more.
    for (const promise of [running, aborted]) promise.catch(() => undefined);
    ended.abort();
  }
}
