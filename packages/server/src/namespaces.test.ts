import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sessionTables } from "@pond/sessions";
import { createCaches, openStore, StorageUnavailableError } from "@pond/substrate";
import type { OperationName } from "@pond/wire";
import { afterAll, expect, test, vi } from "vitest";
import { createHandlers } from "./handlers.ts";
import { admittedNamespace, createNamespaces, singleNamespace } from "./namespaces.ts";
import { chat, testPond } from "./testing.ts";
import { runInTurn } from "./turns.ts";

const folder = mkdtempSync(join(tmpdir(), "pond-namespaces-"));
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ["a path upwards", "../default"],
  ["a path downwards", "a/b"],
  ["an absolute path", "/etc"],
  ["an empty name", ""],
  ["a dot", "."],
  ["an uppercase letter", "Default"],
  ["a NUL", "default\0"],
  ["a line break", "default\n"],
  ["a space", " default"],
  ["a Cyrillic letter that looks Latin", "dеfault"],
  ["a lone surrogate", "\ud800"],
  ["65 letters", "a".repeat(65)],
  ["a million letters", "a".repeat(1_000_000)],
  ["the name __proto__", "__proto__"],
])("refuses an invalid namespace without asking where its store is: %s", async (_, name) => {
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

test("opens a store once for all requests, also when they come at the same time", async () => {
  const namespaces = singleNamespace(join(folder, "shared"));

  const [first, second] = await Promise.all([
    namespaces.open(undefined, "write"),
    namespaces.open("default", "write"),
  ]);

  expect(second).toBe(first);
  expect(await namespaces.open(undefined, "read")).toBe(first);
  await namespaces.close();
});

test("a store opened to read is opened again by the first write, and then shared", async () => {
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

test("a read waits for a store that is just being created", async () => {
  const namespaces = singleNamespace(join(folder, "making"));

  const [made, ...read] = await Promise.all([
    namespaces.open(undefined, "write"),
    ...Array.from({ length: 8 }, () => namespaces.open(undefined, "read")),
  ]);

  expect(read.every((store) => store === made)).toBe(true);
  await namespaces.close();
});

test("looks again for a store that did not exist before", async () => {
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

test("closes a store only after a running write has ended", async () => {
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
  const writing = runInTurn(sessions, undefined, async () => {
    await promise;
    order.push("written");
  });

  const closing = namespaces.close();
  setImmediate(resolve);
  await Promise.all([writing, closing]);

  expect(order).toEqual(["written", "closed"]);
});

test("closes a store that is no longer used, and frees the caches", async () => {
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

test.each([-1, Number.NaN])("refuses an idle time of %s ms", (idleMs) => {
  expect(() => createNamespaces({ idleMs, locate: () => undefined })).toThrow(TypeError);
});

test("each namespace has a store of its own", async () => {
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

test("opens no store once it is closed", async () => {
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

test("closes without an error after a store could not be opened", async () => {
  mkdirSync(join(folder, "empty"));
  const namespaces = singleNamespace(join(folder, "empty"));

  await expect(namespaces.open(undefined, "read")).rejects.toThrow();

  await expect(namespaces.close()).resolves.toBeUndefined();
});

test("waits for an asynchronous policy, and asks it with the mode of every request", async () => {
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
] as const)(
  "a store opened to %s gives way to %s as soon as the policy says so",
  async (mode, _, placeOf) => {
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
  },
);

test("a half-made store that must exist is completed by the next write", async () => {
  const location = join(folder, "half");
  const half = await openStore(location, { tables: sessionTables.slice(0, 2), mode: "write" });
  half.close();
  const namespaces = createNamespaces({ locate: () => ({ location, mustExist: true }) });

  const { store } = await namespaces.open("red", "write");

  expect(store.id).toBe(half.id);
  await namespaces.close();
});

test.each(["read", "write"] as const)(
  "a store that must exist but does not is unknown to a %s, and is not created",
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

test("a store opened to read is closed after its last read, once it is opened again to write", async () => {
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
  "a store removed while open to %s is reported as missing, and an ingest creates it again",
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

test("after a store was removed, one ingest fails and the next creates the store again", async () => {
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

test("a store that failed once but still exists stays open", async () => {
  const namespaces = singleNamespace(join(folder, "failed-once"));
  const { promise, reject } = Promise.withResolvers<void>();
  const before = await namespaces.open(undefined, "write", promise);

  reject(new StorageUnavailableError("/store", "no answer"));
  const after = await namespaces.open(undefined, "write");

  expect(after).toBe(before);
  await namespaces.close();
});

test("six tenants share two open stores, and each finds its own store again", async () => {
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
  ["none, and none is set", undefined, undefined, undefined],
  ["one, and none is set", "red", undefined, "red"],
  ["none, and one is set", undefined, "red", "red"],
  ["the one that is set", "red", "red", "red"],
])("admittedNamespace finds the namespace when a request names %s", (_, asked, only, expected) => {
  expect(admittedNamespace(asked, only)).toBe(expected);
});

test.each([
  ["another namespace", "blue", "red"],
  ["one when an empty namespace is set", "red", ""],
  ["the default namespace when another is set", "default", "red"],
])("admittedNamespace refuses a request that names %s", (_, asked, only) => {
  expect(() => admittedNamespace(asked, only)).toThrow(
    expect.objectContaining({ code: "namespace_unknown" }),
  );
});

test.each([-1, Number.NaN])("refuses an invalid number of open stores: %s", (maxOpen) => {
  expect(() => createNamespaces({ locate: () => undefined, maxOpen })).toThrow("maxOpen: ");
});
