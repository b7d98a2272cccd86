import {
  type Fault,
  type FaultyProxy,
  startAzurite,
  startFaultyProxy,
  startS3,
  type TestStorage,
} from "@pond/storage-testkit";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { loadLance } from "./engine/lance.ts";
import { ConflictError, StorageUnavailableError } from "./errors.ts";
import { and, eq } from "./read/filter.ts";
import type { Store } from "./store.ts";
import type { Table } from "./table.ts";
import { numbered } from "./testing/catalogue.ts";
import { openCatalogue } from "./testing/store.ts";

type Ordeal = {
  readonly location: string;
  readonly proxy: FaultyProxy;
  /** Meets the faults. */
  readonly store: Store;
  /** Meets none. */
  readonly onlooker: Store;
};

async function beginOrdeal(
  storage: TestStorage,
  options: Readonly<Record<string, string>> = {},
): Promise<Ordeal> {
  const proxy = await startFaultyProxy(storage);
  onTestFinished(() => proxy.close());
  const location = storage.url(crypto.randomUUID());
  const store = await openCatalogue(location, {
    storageOptions: { ...proxy.storageOptions, ...options },
  });
  const onlooker = await openCatalogue(location, { storageOptions: storage.storageOptions });
  return { location, proxy, store, onlooker };
}

async function numbersIn(table: Table): Promise<string[]> {
  const rows = await table.rows({ columns: ["number"] });
  return rows.map(({ number }) => String(number)).sort();
}

const numbers = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, index) => `n${from + index}`).sort();

const perBatch = 5;
const batches = 3;

/** So that what does not pass is soon reported: the defaults wait it out. */
const impatient = { client_max_retries: "1" };

type Case = {
  readonly fault: Fault;
  readonly options?: Readonly<Record<string, string>>;
  /** What the errors say, if there are any. */
  readonly says?: RegExp;
};

const brokenOff = /^it closed the connection$/;

const cases: Readonly<Record<string, Case>> = {
  "bursts of 503": { fault: { kind: "status", status: 503, share: 0.15 } },
  "503 for longer than it waits": {
    fault: { kind: "status", status: 503, forRequests: 30 },
    options: impatient,
    says: /^it answers 503/,
  },
  "500 now and then": { fault: { kind: "status", status: 500, every: 9 } },
  "resets before a request": {
    fault: { kind: "reset", when: "before", every: 5 },
    options: impatient,
    says: brokenOff,
  },
  "resets in an answer": {
    fault: { kind: "reset", when: "in-response", every: 5 },
    options: impatient,
    says: brokenOff,
  },
  "resets instead of an answer": {
    fault: { kind: "reset", when: "after", every: 5 },
    options: impatient,
    says: brokenOff,
  },
  "lost answers to every write": {
    fault: { kind: "reset", when: "after", only: /^PUT /, forRequests: 40 },
    options: impatient,
    says: brokenOff,
  },
  "lost answers to commits": {
    fault: { kind: "reset", when: "after", only: /^PUT .*\.manifest/, every: 2 },
  },
  "slow answers": { fault: { kind: "slow", delayMs: 20, share: 0.5 } },
  "no answers": {
    fault: { kind: "hang", every: 15, forRequests: 6 },
    options: { timeout: "1s", client_max_retries: "1" },
    says: /^it (does not answer in time|broke the connection off)$/,
  },
  "expired credentials": {
    fault: { kind: "status", status: 403, forRequests: 25 },
    says: /^the credentials are refused/,
  },
  "expired credentials for writes": {
    fault: { kind: "status", status: 403, only: /^(PUT|POST) / },
    says: /^the credentials are refused/,
  },
};

/** Everything a store does, while requests go wrong; then once more, when none does. */
async function endure(storage: TestStorage, name: string, { fault, options, says }: Case) {
  const { location, proxy, store, onlooker } = await beginOrdeal(storage, options);
  const table = store.table("parts");
  const acknowledged: string[] = [];
  const errors: unknown[] = [];
  const attempt = async (call: () => Promise<unknown>): Promise<boolean> => {
    try {
      await call();
      return true;
    } catch (error) {
      errors.push(error);
      return false;
    }
  };
  const query = { column: "description", query: { terms: "bolt" }, columns: ["number"], limit: 5 };

  proxy.fault(fault);
  for (let from = 0; from < batches * perBatch; from += perBatch) {
    if (await attempt(() => table.insert(numbered(perBatch, "acme", from)))) {
      acknowledged.push(...numbers(perBatch, from));
    }
    const { maker = [], number = [] } = numbered(2, "acme", from);
    await attempt(() => table.update({ maker, number, shaped_by: ["m1", "m1"] }));
    await attempt(() => table.count(eq("maker", "acme")));
    await attempt(() => table.fullText(query));
    if (from % 10 === 0) await attempt(() => table.fold({ isForced: true, retentionMs: 0 }));
  }
  const storageOptions = { ...proxy.storageOptions, ...options };
  await attempt(async () => (await openCatalogue(location, { storageOptions, mode: "read" })).id);
  proxy.fault(undefined);

  expect(proxy.faults, name).toBeGreaterThan(0);
  for (const error of errors) {
    if (error instanceof ConflictError) continue;
    if (!(error instanceof StorageUnavailableError)) throw error;
    expect(error.details.reason, name).toMatch(says ?? /^nothing$/);
    expect(error.details.isTransient, name).toBe(!/credentials/.test(error.details.reason));
  }
  const stored = await numbersIn(onlooker.table("parts"));
  expect(new Set(stored).size, name).toBe(stored.length);
  expect(stored, name).toEqual(expect.arrayContaining(acknowledged));
  // And everything goes on as if nothing had been.
  const again = await table.insert(numbered(batches * perBatch));
  expect(again.inserted, name).toBe(batches * perBatch - stored.length);
  const reopened = await openCatalogue(location, { storageOptions: storage.storageOptions });
  const fresh = reopened.table("parts");
  await fresh.fold({ isForced: true, retentionMs: 0 });
  expect(await numbersIn(fresh), name).toEqual(numbers(batches * perBatch));
  const last = and(eq("maker", "acme"), eq("number", `n${batches * perBatch - 1}`));
  expect(await fresh.count(last), name).toBe(1);
  expect((await fresh.fullText({ ...query, limit: 99 })).length, name).toBe(batches * perBatch);
}

const allCases = Object.keys(cases);
// The engine handles most of them the same way for every object store.
const onAzure = ["bursts of 503", "lost answers to commits", "no answers", "expired credentials"];

describe.each([
  ["s3", allCases],
  ["azure", onAzure],
] as const)("on %s", (kind, names) => {
  let storage: TestStorage;

  beforeAll(async () => {
    const started = kind === "s3" ? await startS3() : await startAzurite();
    if (started === undefined) throw new TypeError("azurite cannot run here");
    storage = started;
  });

  afterAll(() => storage?.close());

  it("faults neither lose an acknowledged row nor double any", {
    timeout: 120_000,
  }, async () => {
    const chosen = Object.entries(cases).filter(([name]) => names.includes(name));
    // At once, for each spends its time waiting.
    await Promise.all(chosen.map(([name, ordeal]) => endure(storage, name, ordeal)));
    expect(chosen.length).toBe(names.length);
  });

  it.each([[1], [2]])(
    "a commit whose answer is lost %d times is stored once, and repeating it adds nothing",
    async (times) => {
      const { proxy, store, onlooker } = await beginOrdeal(storage);
      const table = store.table("parts");
      await table.insert(numbered(3));

      proxy.fault({ kind: "reset", when: "after", only: /^PUT .*\.manifest/, forRequests: times });
      const outcome = await table.insert(numbered(5));
      const again = await table.insert(numbered(5));

      expect(proxy.faults).toBe(times);
      expect(outcome).toEqual({ inserted: 2, present: 3 });
      expect(again).toEqual({ inserted: 0, present: 5 });
      expect(await numbersIn(onlooker.table("parts"))).toEqual(numbers(5));
    },
  );

  it("a store whose creation loses answers is created once, with every index", async () => {
    const location = storage.url(crypto.randomUUID());
    const fault: Fault = { kind: "reset", when: "after", only: /^PUT .*\.manifest/, every: 2 };
    const proxies = await Promise.all([1, 2, 3].map(() => startFaultyProxy(storage, fault)));
    onTestFinished(async () => {
      for (const proxy of proxies) await proxy.close();
    });

    const stores = await Promise.all(
      proxies.map(({ storageOptions }) => openCatalogue(location, { storageOptions })),
    );
    for (const proxy of proxies) proxy.fault(undefined);
    await Promise.all(
      stores.map((store, index) => store.table("parts").insert(numbered(4, `maker ${index}`))),
    );

    expect(proxies.map(({ faults }) => faults > 0)).toEqual([true, true, true]);
    expect(new Set(stores.map(({ id }) => id)).size).toBe(1);
    const { storageOptions } = storage;
    const opened = await openCatalogue(location, { storageOptions });
    expect(await opened.table("parts").count()).toBe(12);
    const { indexes } = await opened.table("parts").health();
    expect(indexes.map(({ column }) => column)).toEqual(["description"]);
  });

  it("a process slow to create a store does not remove rows that others wrote meanwhile", async () => {
    const { storageOptions } = storage;
    const location = storage.url(crypto.randomUUID());
    const proxy = await startFaultyProxy(storage);
    onTestFinished(() => proxy.close());
    const written = Promise.withResolvers<void>();
    // Between two looks whether there is one: the engine then overwrites what came in between.
    const only = /^GET .*parts\.pointer\.lance/;
    proxy.fault({ kind: "hold", until: written.promise, only, every: 2, forRequests: 1 });

    const opening = openCatalogue(location, { storageOptions: proxy.storageOptions });
    await expect.poll(() => proxy.faults, { timeout: 30_000 }).toBe(1);
    const quick = await openCatalogue(location, { storageOptions });
    const first = await quick.table("parts").insert(numbered(4, "quick"));
    written.resolve();
    const slow = await opening;
    const second = await slow.table("parts").insert(numbered(4, "slow"));

    expect([first.inserted, second.inserted]).toEqual([4, 4]);
    expect(slow.id).toBe(quick.id);
    const opened = await openCatalogue(location, { storageOptions });
    expect(await opened.table("parts").count()).toBe(8);
    // It did overwrite: the pointer, of which only the first version counts.
    const connection = await loadLance().connect(location, { storageOptions });
    expect(await (await connection.openTable("parts.pointer")).version()).toBe(2);
    connection.close();
  });
});
