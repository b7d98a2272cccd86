/**
 * Returns what `work` gives, or throws the signal's reason as soon as it is aborted. `work` itself
 * goes on and has to release what it holds.
 */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([aborted, work]);
  } catch (error) {
    // Work that heeds the signal fails with its own error; the reason is what happened.
    if (signal.aborted) throw signal.reason;
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
