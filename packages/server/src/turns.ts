const last = new WeakMap<object, Promise<unknown>>();

/**
 * Runs `work` when everything that was to run on the same `key` before is done, however it ended.
 *
 * @throws the reason of `signal`, where that is aborted before its turn.
 */
export async function inTurn<T>(
  key: object,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const before = last.get(key) ?? Promise.resolve();
  const turn = before.then(() => {
    signal?.throwIfAborted();
    return work();
  });
  last.set(
    key,
    turn.catch(() => undefined),
  );
  return turn;
}
