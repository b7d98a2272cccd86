import { setTimeout as delay } from "node:timers/promises";

/** The outcome of one try. A failure that may pass is worth another try. */
export type Attempt<T> = { readonly ok: true; readonly value: T } | Failure;

type Failure = {
  readonly ok: false;
  readonly reason: string;
  readonly isTransient: boolean;
  /** The HTTP status of the answer, if there was one. */
  readonly status?: number;
  /** True if sending less at once may succeed. */
  readonly isSizeRelated?: boolean;
  /** How often it is met at most, where that is less than a policy allows. */
  readonly attempts?: number;
  /** How long the server asks to be left alone. */
  readonly retryAfterMs?: number | undefined;
};

/** Time and chance, which tests replace with their own. */
export type Clock = {
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  random(): number;
};

export const systemClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: async (ms, signal) => {
    try {
      await delay(ms, undefined, signal && { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
};

const pausesMs = { first: 500, most: 30_000 };
/** Limits are mostly of a minute, which four of these outlast; many servers do not say when. */
const rateLimitPausesMs = { first: 10_000, most: 60_000 };

/** How much effort goes into one answer. */
export type RetryPolicy = {
  readonly attempts: number;
  /** The longest pause; a server that asks for a longer one is not asked again. */
  readonly maxWaitMs: number;
};

type RetryOptions = {
  readonly signal?: AbortSignal | undefined;
  /** Called before each pause, with the reason why it failed. */
  readonly onRetry?: ((reason: string) => void) | undefined;
};

/** For work that nobody waits for. If a server wants a longer pause, the next sync asks it. */
export const backgroundRetryPolicy: RetryPolicy = { attempts: 5, maxWaitMs: 120_000 };

/** True for a status that another try may not meet again. */
export function isTransientStatus(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

/**
 * Tries until it works, the failure is final, or the policy ends it. Pauses double each time, with
 * jitter; `Retry-After` takes precedence.
 */
export async function retry<T>(
  attempt: () => Promise<Attempt<T>>,
  { attempts, maxWaitMs }: RetryPolicy,
  clock: Clock,
  { signal, onRetry }: RetryOptions = {},
): Promise<{ readonly outcome: Attempt<T>; readonly attempts: number }> {
  for (let used = 1; ; used++) {
    signal?.throwIfAborted();
    const outcome = await attempt();
    if (outcome.ok || !outcome.isTransient) return { outcome, attempts: used };
    const most = Math.min(attempts, outcome.attempts ?? attempts);
    if (used >= most) return { outcome, attempts: used };
    if ((outcome.retryAfterMs ?? 0) > maxWaitMs) return { outcome, attempts: used };
    onRetry?.(outcome.reason);
    // A server that asks for no pause would be asked five times in a moment.
    const pause = outcome.retryAfterMs || pauseMs(used, outcome.status, clock);
    await clock.sleep(Math.min(pause, maxWaitMs), signal);
  }
}

function pauseMs(used: number, status: number | undefined, clock: Clock): number {
  const { first, most } = status === 429 ? rateLimitPausesMs : pausesMs;
  const pause = Math.min(most, first * 2 ** (used - 1));
  return Math.round(pause * (0.5 + clock.random() / 2));
}

/** Milliseconds of a `Retry-After` header: seconds, or a date. */
export function retryAfterMs(header: unknown, clock: Clock): number | undefined {
  if (typeof header !== "string" || header.trim() === "") return undefined;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - clock.now() : seconds * 1000;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
