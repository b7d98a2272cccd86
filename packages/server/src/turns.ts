const last = new WeakMap<object, Promise<unknown>>();
const aside = new WeakMap<object, Set<Promise<void>>>();
const ended = new WeakSet<object>();

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

/** Runs `work` at once, beside those that take turns on the same `key`; not at all once they ended. */
export async function besideTurns(key: object, work: () => Promise<void>): Promise<void> {
  if (ended.has(key)) return;
  const works = aside.get(key) ?? new Set();
  aside.set(key, works);
  const running = work();
  const settled = running.catch(() => undefined);
  works.add(settled);
  void settled.finally(() => works.delete(settled));
  return running;
}

/** Resolves when all that runs on `key`, and waits for its turn, is done. Nobody may ask for another. */
export async function endTurns(key: object): Promise<void> {
  await last.get(key);
  ended.add(key);
  await Promise.all(aside.get(key) ?? []);
}
