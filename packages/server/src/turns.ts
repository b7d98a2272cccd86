const queueTails = new WeakMap<object, Promise<unknown>>();
const unqueued = new WeakMap<object, Set<Promise<void>>>();
const ended = new WeakSet<object>();

/**
 * Runs `work` when everything scheduled before on the same `key` is done, however it ended.
 *
 * @throws the reason of `signal`, if that is aborted before its turn.
 */
export async function runInTurn<T>(
  key: object,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const before = queueTails.get(key) ?? Promise.resolve();
  const turn = before.then(() => {
    signal?.throwIfAborted();
    return work();
  });
  queueTails.set(
    key,
    turn.catch(() => undefined),
  );
  return turn;
}

/**
 * Runs `work` at once, beside the turns on the same `key`; does not run it once they have ended.
 */
export async function runBesideTurns(key: object, work: () => Promise<void>): Promise<void> {
  if (ended.has(key)) return;
  const works = unqueued.get(key) ?? new Set();
  unqueued.set(key, works);
  const running = work();
  const settled = running.catch(() => undefined);
  works.add(settled);
  void settled.finally(() => works.delete(settled));
  return running;
}

/**
 * Resolves when everything that runs or waits on `key` is done. Nobody may ask for another turn.
 */
export async function endTurns(key: object): Promise<void> {
  await queueTails.get(key);
  ended.add(key);
  await Promise.all(unqueued.get(key) ?? []);
}
