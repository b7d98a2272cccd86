/** A signal that ends a request, and the reason for it. */
export type Deadline = {
  readonly signal: AbortSignal;
  /** True once the time is up, unless the caller had aborted before. */
  readonly isTimeout: () => boolean;
  /**
   * Settles as `work` does, or rejects when the signal aborts, because not every `fetch` listens to
   * it.
   */
  readonly within: <T>(work: Promise<T>) => Promise<T>;
  /** Releases the timer and the caller's signal. */
  readonly clear: () => void;
};

/**
 * Aborts after `timeoutMs`, or when the caller does. `AbortSignal.any` with `AbortSignal.timeout`
 * would do the same, but a caller's long-lived signal would hold on to what every request left
 * behind.
 */
export function startDeadline(timeoutMs: number, caller: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let isTimeout = false;
  const { signal } = controller;
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  // Whoever waits for it gets the rejection; it does not matter if nobody does.
  aborted.catch(() => undefined);
  const stop = (): void => controller.abort(caller?.reason);
  const timer = setTimeout(() => {
    isTimeout = !signal.aborted;
    controller.abort();
  }, timeoutMs);
  if (caller?.aborted) stop();
  else caller?.addEventListener("abort", stop, { once: true });
  return {
    signal,
    isTimeout: () => isTimeout,
    within: (work) => Promise.race([work, aborted]),
    clear: () => {
      clearTimeout(timer);
      caller?.removeEventListener("abort", stop);
    },
  };
}
