import type { Clock } from "./clock.ts";

const firstPauseMs = 250;
const maxPauseMs = 10_000;
/** If a server asks for a longer pause, we leave it to the caller to ask again. */
export const maxRetryAfterMs = 60_000;

/**
 * The pause after so many tries. It doubles each time, with jitter, so that clients drift apart.
 */
export function pauseMs(tries: number, clock: Clock): number {
  const pause = Math.min(maxPauseMs, firstPauseMs * 2 ** (tries - 1));
  return Math.round(pause * (0.5 + clock.random() / 2));
}

/** Milliseconds of a `Retry-After` header: seconds, or a date. */
export function retryAfterMs(header: string | null, clock: Clock): number | undefined {
  if (header === null || header.trim() === "") return undefined;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - clock.now() : seconds * 1000;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
