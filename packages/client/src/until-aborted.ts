/**
 * Passes on what a source yields until the signal aborts, even while the source waits for something
 * that may never come. It closes the source then, as at every other end.
 *
 * @throws The signal's reason.
 */
export async function* untilAborted<T>(
  source: Iterable<T> | AsyncIterable<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T, void, undefined> {
  signal?.throwIfAborted();
  const iterator =
    Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  let isWaiting = false;
  try {
    for (;;) {
      isWaiting = true;
      const { done, value } = await orAborted(iterator.next(), signal);
      isWaiting = false;
      if (done) return;
      yield value;
    }
  } finally {
    const closed = iterator.return?.();
    // A source that still waits closes when its wait is over, which may be never.
    if (isWaiting) Promise.resolve(closed).catch(() => undefined);
    else await closed;
  }
}

/** Leaves no listener at the signal, which is used again with every event of a long stream. */
async function orAborted<T>(work: T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
