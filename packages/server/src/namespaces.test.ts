import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sessionTables } from "@pond/sessions";
import { createCaches, openStore, StorageUnavailableError } from "@pond/substrate";
import type { OperationName } from "@pond/wire";
import { afterAll, expect, test, vi } from "vitest";
import { createHandlers } from "./handlers.ts";
import { createNamespaces, namespaceWithin, singleNamespace } from "./namespaces.ts";
import { chat, testPond } from "./testing.ts";
import { inTurn } from "./turns.ts";

const folder = mkdtempSync(join(tmpdir(), "pond-namespaces-"));
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ["..", "../default"],
  ["a step down", "a/b"],
  ["a step to the root", "/etc"],
  ["nothing", ""],
  ["a dot", "."],
  ["upper case", "Default"],
  ["a NUL", "default\0"],
  ["a line break", "default\n"],
  ["a space", " default"],
  ["a letter that looks like another", "dеfault"],
  ["half a character", "\ud800"],
  ["65 letters", "a".repeat(65)],
  ["a million letters", "a".repeat(1_000_000)],
  ["a key of every object", "__proto__"],
])("never asks where %s is", async (_, name) => {
  const asked: string[] = [];
  const namespaces = createNamespaces({
    locate(each) {
      asked.push(each);
      return { location: folder };
    },
  });

  const error = await namespaces.open(name, "read").catch((thrown: unknown) => thrown);

  expect(error).toMatchObject({ code: "namespace_unknown" });
  expect(JSON.stringify(error).length).toBeLessThan(1_000);
  expect(asked).toEqual([]);
});

test.each(["other", "constructor", "default-2"])(
  "a personal pond has no namespace %s",
  async (name) => {
    const error = singleNamespace(folder).open(name, "read");

    await expect(error).rejects.toMatchObject({
      code: "namespace_unknown",
      details: { namespace: name },
    });
  },
);

test("opens a store once for all who ask, at the same time too", async () => {
  const namespaces = singleNamespace(join(folder, "shared"));

  const [first, second] = await Promise.all([
    namespaces.open(undefined, "write"),
    namespaces.open("default", "write"),
  ]);

  expect(second).toBe(first);
  expect(await namespaces.open(undefined, "read")).toBe(first);
  await namespaces.close();
});

test("a store that is read before it is written is opened once more, and then shared", async () => {
  const location = join(folder, "later");
  const made = singleNamespace(location);
  await made.open(undefined, "write");
  await made.close();
  const namespaces = singleNamespace(location);

  const read = await namespaces.open(undefined, "read");
  const written = await namespaces.open(undefined, "write");

  expect(written).not.toBe(read);
  expect(await namespaces.open(undefined, "read")).toBe(written);
  await namespaces.close();
});

test("a store that is just being made is read when it is whole", async () => {
  const namespaces = singleNamespace(join(folder, "making"));

  const [made, ...read] = await Promise.all([
    namespaces.open(undefined, "write"),
    ...Array.from({ length: 8 }, () => namespaces.open(undefined, "read")),
  ]);

  expect(read.every((store) => store === made)).toBe(true);
  await namespaces.close();
});

test("looks again for a store that was not there", async () => {
  const location = join(folder, "new");
  const namespaces = singleNamespace(location);
  await expect(namespaces.open(undefined, "read")).rejects.toMatchObject({
    code: "store_not_found",
  });

  const others = singleNamespace(location);
  await others.open(undefined, "write");
  await others.close();

  await expect(namespaces.open(undefined, "read")).resolves.toBeDefined();
  await namespaces.close();
});

test("closes a store when what is being written is written", async () => {
  const namespaces = singleNamespace(join(folder, "busy"));
  const sessions = await namespaces.open(undefined, "write");
  const order: string[] = [];
  Object.assign(sessions, {
    close() {
      order.push("closed");
      sessions.store.close();
    },
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  const writing = inTurn(sessions, undefined, async () => {
    await promise;
    order.push("written");
  });

  const closing = namespaces.close();
  setImmediate(resolve);
  await Promise.all([writing, closing]);

  expect(order).toEqual(["written", "closed"]);
});

test("what nobody uses is closed, and with it goes what is kept in memory", async () => {
  const caches = createCaches();
  const location = join(folder, "resting");
  const namespaces = createNamespaces({ caches, idleMs: 0, locate: () => ({ location }) });
  const sessions = await namespaces.open(undefined, "write", Promise.resolve());
  const closed = vi.spyOn(sessions, "close");
  const { session } = caches;

  await vi.waitUntil(() => caches.session !== session);

  expect(closed).toHaveBeenCalledOnce();
  const again = await namespaces.open(undefined, "read");
  expect(await again.store.table("messages").count()).toBe(0);
  await namespaces.close();
});

test.each([-1, Number.NaN])("refuses to close what is idle after %s ms", (idleMs) => {
  expect(() => createNamespaces({ idleMs, locate: () => undefined })).toThrow(TypeError);
});

test("each namespace has tables of its own", async () => {
  const tenants = new Set(["red", "blue"]);
  const namespaces = createNamespaces({
    locate: (name) => (tenants.has(name) ? { location: join(folder, name) } : undefined),
  });

  const [red, blue] = await Promise.all([
    namespaces.open("red", "write"),
    namespaces.open("blue", "write"),
  ]);

  expect(red.store.id).not.toBe(blue.store.id);
  await expect(namespaces.open(undefined, "read")).rejects.toMatchObject({
    code: "namespace_unknown",
  });
  await namespaces.close();
});

test("opens nothing any more once it is closed", async () => {
  const namespaces = singleNamespace(join(folder, "closed"));
  const opening = namespaces.open(undefined, "write");
  const asked = await Promise.race([opening, new Promise((resolve) => setImmediate(resolve))]);

  await namespaces.close();

  expect(asked).toBeUndefined();
  await opening;
  await expect(namespaces.open(undefined, "write")).rejects.toMatchObject({
    code: "storage_unavailable",
  });
});

test("a store that cannot be opened closes like the others", async () => {
  mkdirSync(join(folder, "empty"));
  const namespaces = singleNamespace(join(folder, "empty"));

  await expect(namespaces.open(undefined, "read")).rejects.toThrow();

  await expect(namespaces.close()).resolves.toBeUndefined();
});

test("waits for a policy that has to look, and asks it what for every time", async () => {
  const asked: string[] = [];
  const namespaces = createNamespaces({
    async locate(name, mode) {
      asked.push(`${mode} ${name}`);
      await new Promise((resolve) => setImmediate(resolve));
      return mode === "write" ? { location: join(folder, "looked", name) } : undefined;
    },
  });

  const opened = await Promise.all([
    namespaces.open("red", "write"),
    namespaces.open("red", "write"),
    namespaces.open("red", "read").catch(({ code }) => code),
  ]);

  expect(opened[1]).toBe(opened[0]);
  expect(opened[2]).toBe("namespace_unknown");
  expect(asked).toEqual(["write red", "write red", "read red"]);
  await namespaces.close();
});

test.each([
  ["read", "another place", (n: number) => ({ location: join(folder, `moved-read-${n}`) })],
  ["write", "another place", (n: number) => ({ location: join(folder, `moved-write-${n}`) })],
  [
    "write",
    "other credentials",
    (n: number) => ({ location: join(folder, "renewed"), storageOptions: { token: `${n}` } }),
  ],
] as const)("to %s, goes to %s as soon as the policy says so", async (mode, _, placeOf) => {
  for (const n of [1, 2]) {
    const made = createNamespaces({ locate: () => placeOf(n) });
    await made.open("red", "write");
    await made.close();
  }
  let now = 1;
  const namespaces = createNamespaces({ locate: () => placeOf(now) });
  const { promise, resolve } = Promise.withResolvers<void>();
  const before = await namespaces.open("red", mode, promise);
  const closed: unknown[] = [];
  Object.assign(before, { close: () => closed.push(before) });

  now = 2;
  const after = await namespaces.open("red", mode);

  expect(after).not.toBe(before);
  expect(after.store.location).toBe(placeOf(2).location);
  expect(await namespaces.open("red", "read")).toBe(after);
  resolve();
  await new Promise((next) => setImmediate(next));
  expect(closed).toEqual([before]);
  await namespaces.close();
});

test("one that must exist is made whole by who writes, where its making broke off", async () => {
  const location = join(folder, "half");
  const half = await openStore(location, { tables: sessionTables.slice(0, 2), mode: "write" });
  half.close();
  const namespaces = createNamespaces({ locate: () => ({ location, mustExist: true }) });

  const { store } = await namespaces.open("red", "write");

  expect(store.id).toBe(half.id);
  await namespaces.close();
});

test.each(["read", "write"] as const)(
  "one that must exist is unknown to who would %s where it does not, and nothing is made",
  async (mode) => {
    const location = join(folder, `absent-${mode}`);
    const namespaces = createNamespaces({ locate: () => ({ location, mustExist: true }) });
    const open = () => namespaces.open("red", mode);

    await expect(open()).rejects.toMatchObject({ code: "namespace_unknown" });
    expect(existsSync(location)).toBe(false);

    const operator = singleNamespace(location);
    await operator.open(undefined, "write");
    await operator.close();
    await expect(open()).resolves.toBeDefined();
    await namespaces.close();
  },
);

test("a store that was only read is closed once it was opened to be written", async () => {
  const location = join(folder, "superseded");
  const made = singleNamespace(location);
  await made.open(undefined, "write");
  await made.close();
  const namespaces = singleNamespace(location);
  const { promise, resolve } = Promise.withResolvers<void>();
  const read = await namespaces.open(undefined, "read", promise);
  const closed: unknown[] = [];
  Object.assign(read, { close: () => closed.push(read) });

  await namespaces.open(undefined, "write");
  expect(closed).toEqual([]);
  resolve();
  await new Promise((next) => setImmediate(next));

  expect(closed).toEqual([read]);
  await namespaces.close();
});

test.each(["read", "write"] as const)(
  "a store that was taken away while it was open to %s is not there, and made anew",
  async (mode) => {
    const pond = testPond();
    await pond.ask("ingest", { events: chat("before", ["a"]) });
    if (mode === "read") await pond.namespaces.close();
    const namespaces =
      mode === "read" ? singleNamespace(join(pond.folder, "store")) : pond.namespaces;
    const { handle } = createHandlers({ namespaces });
    const ask = (operation: OperationName, fields: object = {}) =>
      handle(operation, { protocol_version: 1, ...fields });
    await ask("status");

    rmSync(join(pond.folder, "store"), { recursive: true });
    const failed = await ask("status").catch(({ code }) => code);
    const gone = await ask("status").catch(({ details }) => details);
    await ask("ingest", { events: chat("after", ["b"]) });

    expect([failed, gone]).toEqual(["storage_unavailable", { kind: "store_not_found" }]);
    expect(await ask("status")).toMatchObject({ sessions: 1, messages: 1 });
    await namespaces.close();
    await pond.remove();
  },
);

test("a store that was taken away is made anew by the next ingest", async () => {
  const pond = testPond();
  await pond.ask("ingest", { events: chat("before", ["a"]) });

  rmSync(join(pond.folder, "store"), { recursive: true });
  const failed = await pond
    .ask("ingest", { events: chat("after", ["b"]) })
    .catch(({ code }) => code);
  await pond.ask("ingest", { events: chat("after", ["b"]) });

  expect(failed).toBe("storage_unavailable");
  expect(await pond.ask("status", {})).toMatchObject({ sessions: 1 });
  await pond.remove();
});

test("a store that failed once and is there stays open", async () => {
  const namespaces = singleNamespace(join(folder, "failed-once"));
  const { promise, reject } = Promise.withResolvers<void>();
  const before = await namespaces.open(undefined, "write", promise);

  reject(new StorageUnavailableError("/store", "no answer"));
  const after = await namespaces.open(undefined, "write");

  expect(after).toBe(before);
  await namespaces.close();
});

test("many tenants share few open stores, and each finds its own again", async () => {
  const names = ["a", "b", "c", "d", "e", "f"];
  const namespaces = createNamespaces({
    locate: (name) => ({ location: join(folder, "many", name) }),
    maxOpen: 2,
  });
  const idOf = async (name: string): Promise<string> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { store } = await namespaces.open(name, "write", promise);
    await store.table("sessions").count();
    resolve();
    return store.id;
  };

  const first = await Promise.all(names.map(idOf));
  const again = await Promise.all([...names].reverse().map(idOf));

  expect(new Set(first).size).toBe(names.length);
  expect(again).toEqual([...first].reverse());
  await namespaces.close();
});

test.each([
  ["nothing, and none was set", undefined, undefined, undefined],
  ["one, and none was set", "red", undefined, "red"],
  ["nothing, and one was set", undefined, "red", "red"],
  ["the one that was set", "red", "red", "red"],
])("a request that names %s is about that", (_, asked, only, expected) => {
  expect(namespaceWithin(asked, only)).toBe(expected);
});

test.each([
  ["another", "blue", "red"],
  ["one where none was set", "red", ""],
  ["the default one", "default", "red"],
])("a request that names %s is refused", (_, asked, only) => {
  expect(() => namespaceWithin(asked, only)).toThrow(
    expect.objectContaining({ code: "namespace_unknown" }),
  );
});

test.each([-1, Number.NaN])("a number of open stores that is none is refused: %s", (maxOpen) => {
  expect(() => createNamespaces({ locate: () => undefined, maxOpen })).toThrow("maxOpen: ");
});
