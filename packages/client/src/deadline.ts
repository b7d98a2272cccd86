/** A signal that ends a request, and why it did. */
export type Deadline = {
  readonly signal: AbortSignal;
  /** True once the time is up, unless the caller had aborted before. */
  readonly isTimeout: () => boolean;
  /** Lets go of the timer and the caller's signal. */
  readonly clear: () => void;
};

/**
 * Aborts after `timeoutMs`, or when the caller does. `AbortSignal.any` and `AbortSignal.timeout`
 * would do, but a caller's long-lived signal would hold on to what every request left behind.
 */
export function startDeadline(timeoutMs: number, caller: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let isTimeout = false;
  const stop = (): void => controller.abort(caller?.reason);
  const timer = setTimeout(() => {
    isTimeout = !controller.signal.aborted;
    controller.abort();
  }, timeoutMs);
  if (caller?.aborted) stop();
  else caller?.addEventListener("abort", stop, { once: true });
  return {
    signal: controller.signal,
    isTimeout: () => isTimeout,
    clear: () => {
      clearTimeout(timer);
      caller?.removeEventListener("abort", stop);
    },
  };
}
