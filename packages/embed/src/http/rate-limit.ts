import type { Clock } from "../retry.ts";

/** Lets `perMinute` requests start in a minute, evenly spread. */
export function createRateLimit(
  perMinute: number | undefined,
  clock: Clock,
): (signal?: AbortSignal) => Promise<void> {
  if (perMinute === undefined) return async () => {};
  const gapMs = 60_000 / perMinute;
  let nextAt = 0;
  // The turns of requests that waited and gave up, the earliest first. The next request takes one,
  // instead of waiting for nobody.
  let freedTurns: number[] = [];
  const takeTurn = (now: number): number => {
    freedTurns = freedTurns.filter((at) => at > now);
    const free = freedTurns.shift();
    if (free !== undefined) return free;
    const at = Math.max(now, nextAt);
    nextAt = at + gapMs;
    return at;
  };
  return async (signal) => {
    const now = clock.now();
    const at = takeTurn(now);
    if (at <= now) return;
    try {
      await clock.sleep(at - now, signal);
    } catch (error) {
      freedTurns = [...freedTurns, at].toSorted((left, right) => left - right);
      throw error;
    }
  };
}
