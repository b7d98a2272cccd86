/** Time and chance, which tests replace with their own. */
export type Clock = {
  now(): number;
  /** @throws The signal's reason, once it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** A random number from 0 to 1. */
  random(): number;
};

export const systemClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) =>
    new Promise((done, fail) => {
      const stop = (): void => {
        clearTimeout(timer);
        fail(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", stop);
        done();
      }, ms);
      if (signal?.aborted) stop();
      else signal?.addEventListener("abort", stop, { once: true });
    }),
};
