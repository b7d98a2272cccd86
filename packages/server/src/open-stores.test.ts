import type { SessionStore } from "@pond/sessions";
import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { OpenStores } from "./open-stores.ts";
import { runInTurn } from "./turns.ts";

/** Stores that only say what becomes of them. */
function fakes() {
  const events: string[] = [];
  const open = (name: string) => async (): Promise<SessionStore> => {
    events.push(`open ${name}`);
    const close = (): void => void events.push(`close ${name}`);
    return { close } as SessionStore;
  };
  return { events, open };
}

/** None rests. */
const never = { idleMs: 60_000, onAllIdle: () => undefined };

afterEach(() => vi.useRealTimers());

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("closes the store that has been unused for longest", async () => {
  const { events, open } = fakes();
  const stores = new OpenStores({ ...never, maxOpen: 2 });

  for (const name of ["a", "b", "a", "c"]) await stores.use(name, open(name), Promise.resolve());
  await settled();

  expect(events).toEqual(["open a", "open b", "open c", "close b"]);
});

test("closes a store above the limit only when it is no longer in use", async () => {
  const { events, open } = fakes();
  const stores = new OpenStores({ ...never, maxOpen: 1 });
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];

  await stores.use("a", open("a"), first.promise);
  await stores.use("a", open("a"), second.promise);
  await stores.use("b", open("b"), Promise.resolve());
  await settled();
  first.resolve();
  await settled();
  expect(events).toEqual(["open a", "open b", "close b"]);

  await stores.use("b", open("b"), new Promise(() => {}));
  second.reject(new Error("the request failed"));
  await settled();
  expect(events).toEqual(["open a", "open b", "close b", "open b", "close a"]);
});

test("closes a store after it was idle for a time, and opens it again for the next request", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const { events, open } = fakes();
  const onAllIdle = (): void => void events.push("all idle");
  const stores = new OpenStores({ maxOpen: 8, idleMs: 1_000, onAllIdle });
  const { promise: until, resolve: leave } = Promise.withResolvers<void>();

  await stores.use("a", open("a"), until);
  await stores.use("b", open("b"), Promise.resolve());
  await settled();
  await vi.advanceTimersByTimeAsync(999);
  await stores.use("b", open("b"), Promise.resolve());
  await settled();
  await vi.advanceTimersByTimeAsync(999);
  expect(events).toEqual(["open a", "open b"]);
  await vi.advanceTimersByTimeAsync(1);
  await settled();
  expect(events).toEqual(["open a", "open b", "close b"]);

  leave();
  await settled();
  await vi.advanceTimersByTimeAsync(1_000);
  await settled();
  expect(events).toEqual(["open a", "open b", "close b", "close a", "all idle"]);
  await stores.use("a", open("a"), Promise.resolve());
  expect(events.at(-1)).toBe("open a");
  await stores.close();
});

test("does not report that all stores are idle when they are closed for other reasons", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const { events, open } = fakes();
  const onAllIdle = (): void => void events.push("all idle");
  const stores = new OpenStores({ maxOpen: 8, idleMs: 1_000, onAllIdle });

  await stores.use("a", open("a"), Promise.resolve());
  await settled();
  stores.retire("a");
  await stores.use("b", open("b"), Promise.resolve());
  await settled();
  await stores.close();
  await vi.advanceTimersByTimeAsync(10_000);

  expect(events).toEqual(["open a", "open b", "close a", "close b"]);
});

test("keeps open a store whose use never ends", async () => {
  const { events, open } = fakes();
  const stores = new OpenStores({ ...never, maxOpen: 1 });

  await stores.use("a", open("a"));
  for (const name of ["b", "c"]) await stores.use(name, open(name), Promise.resolve());
  await settled();

  expect(events).not.toContain("close a");
});

test("closes a store after the work queued on it, though no request waits for that work", async () => {
  const { events, open } = fakes();
  const stores = new OpenStores({ ...never, maxOpen: 0 });
  const { promise: done, resolve: finish } = Promise.withResolvers<void>();
  const { promise: until, resolve: leave } = Promise.withResolvers<void>();
  const sessions = await stores.use("a", open("a"), until);
  void runInTurn(sessions, undefined, async () => {
    await done;
    events.push("kept up");
  });

  leave();
  await settled();
  finish();
  await stores.close();

  expect(events).toEqual(["open a", "kept up", "close a"]);
});

test("closes a retired store once its users are done, and opens another for new ones", async () => {
  const { events, open } = fakes();
  const stores = new OpenStores({ ...never, maxOpen: 8 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const before = await stores.use("a", open("a"), promise);

  stores.retire("a");
  const after = await stores.use("a", open("a"), Promise.resolve());
  expect(events).toEqual(["open a", "open a"]);
  resolve();
  await settled();

  expect(after).not.toBe(before);
  expect(events).toEqual(["open a", "open a", "close a"]);
});

test("fails all waiting requests when a store cannot be opened, and tries again for the next one", async () => {
  const { events, open } = fakes();
  const stores = new OpenStores({ ...never, maxOpen: 8 });
  const fail = async (): Promise<SessionStore> => {
    events.push("failed");
    throw new Error("no");
  };

  const outcomes = await Promise.allSettled([stores.use("a", fail), stores.use("a", fail)]);
  await stores.use("a", open("a"));
  await stores.close();

  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(events).toEqual(["failed", "open a", "close a"]);
});

test("never closes a store in use, nor keeps more open than allowed, whatever comes at once", async () => {
  const name = fc.constantFrom("a", "b", "c", "d", "e");
  const requests = fc.array(fc.record({ name, turns: fc.nat(6) }), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(requests, fc.integer({ min: 1, max: 3 }), async (asked, maxOpen) => {
      const stores = new OpenStores({ ...never, maxOpen });
      const open = new Set<object>();
      const opener = async (): Promise<SessionStore> => {
        await settled();
        const sessions = { close: () => void open.delete(sessions) } as SessionStore;
        open.add(sessions);
        return sessions;
      };

      await Promise.all(
        asked.map(async ({ name: key, turns }) => {
          const { promise, resolve } = Promise.withResolvers<void>();
          const sessions = await stores.use(key, opener, promise);
          for (let turn = 0; turn < turns; turn += 1) {
            expect(open).toContain(sessions);
            await settled();
          }
          expect(open).toContain(sessions);
          resolve();
        }),
      );
      await settled();

      expect(open.size).toBeLessThanOrEqual(maxOpen);
      await stores.close();
      expect(open.size).toBe(0);
    }),
    { numRuns: 50 },
  );
});
