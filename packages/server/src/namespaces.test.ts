import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createNamespaces, singleNamespace } from "./namespaces.ts";
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

  await namespaces.close();

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
