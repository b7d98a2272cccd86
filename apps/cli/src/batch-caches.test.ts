import { join } from "node:path";
import type { CacheSizes, StoreOptions } from "@pond/substrate";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { batchCacheSizes } from "./batch-caches.ts";
import { Home, line } from "./testing.ts";

/** Folders of stores that were opened, with the caches each was given. */
const opened = vi.hoisted((): [string, CacheSizes | undefined][] => []);

vi.mock("@pond/substrate", async (load) => {
  const substrate = await load<typeof import("@pond/substrate")>();
  const sizesOf = new WeakMap<object, CacheSizes>();
  return {
    ...substrate,
    createCaches: (sizes: CacheSizes) => {
      const caches = substrate.createCaches(sizes);
      sizesOf.set(caches, sizes);
      return caches;
    },
    openStore: (location: string, options: StoreOptions) => {
      opened.push([location, options.caches && sizesOf.get(options.caches)]);
      return substrate.openStore(location, options);
    },
  };
});

let home: Home;
let storage: string;
beforeAll(async () => {
  home = new Home();
  storage = join(home.folder, "storage");
  home.writeSession("s1", line("s1", "a", "the heron stood in the reeds"));
  await openedBy("sync");
  await openedBy("export", "--output", "~/a.pond");
});
afterAll(() => home.remove());

/** What a command gave to the stores below the home's storages; an archive's own are not there. */
async function openedBy(...argv: readonly string[]): Promise<(CacheSizes | undefined)[]> {
  opened.length = 0;
  const places = argv.map((word) => word.replace(/^~/, home.folder));
  const { code, stderr } = await home.pond("--storage", storage, ...places, "--json");
  expect([code, stderr]).toEqual([0, ""]);
  return opened.flatMap(([location, sizes]) => (location.includes("storage") ? [sizes] : []));
}

describe("caches of the stores that a command opens", () => {
  it.each([
    [["sync"]],
    [["sync", "--only", "update-indexes"]],
    [["export", "--output", "~/a.pond", "--force"]],
    [["import", "~/a.pond"]],
    [["copy", "@", "~/storage-2"], 2],
    [["restore", "--all", "--out", "~/restored"]],
  ])("are small when the command goes through whole stores: %j", async (argv, stores = 1) => {
    expect(await openedBy(...argv)).toEqual(Array(stores).fill(batchCacheSizes));
  });

  it.each([
    [["search", "heron"]],
    [["list"]],
    [["get", "s1"]],
    [["status"]],
    [["restore", "s1", "--out", "~/one"]],
  ])("are the store's own when the command only answers: %j", async (argv) => {
    expect(await openedBy(...argv)).toEqual([undefined]);
  });
});
