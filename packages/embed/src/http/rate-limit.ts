import type { Clock } from "../retry.ts";

/** Lets `perMinute` requests begin in a minute, evenly spread. */
export function createRateLimit(
  perMinute: number | undefined,
  clock: Clock,
): (signal?: AbortSignal) => Promise<void> {
  if (perMinute === undefined) return async () => {};
  const gapMs = 60_000 / perMinute;
  let nextAt = 0;
  return async (signal) => {
    const now = clock.now();
    const at = Math.max(now, nextAt);
    nextAt = at + gapMs;
    if (at > now) await clock.sleep(at - now, signal);
  };
}
