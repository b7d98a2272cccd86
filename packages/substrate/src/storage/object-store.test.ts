import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { inspect } from "node:util";
import { type Fault, startAzurite, startFaultyProxy, startS3 } from "@pond/storage-testkit";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { TableDeclaration } from "../declaration.ts";
import { createCaches } from "../engine/caches.ts";
import { StorageUnavailableError, StoreNotFoundError, StoreSchemaError } from "../errors.ts";
import type { Store } from "../store.ts";
import { catalogue, numbered, prices } from "../testing/catalogue.ts";
import { openCatalogue, temporaryFolder } from "../testing/store.ts";

type Storage = Awaited<ReturnType<typeof startS3>>;
type Place = { readonly url: string; readonly storageOptions: Readonly<Record<string, string>> };

async function startedS3(isConditional: boolean = true): Promise<Storage> {
  const s3 = await startS3({ isConditional });
  onTestFinished(() => s3.close());
  return s3;
}

it("inserts, folds and reads on an object store, and leaves no probe objects", async () => {
  const { url, storageOptions, objects } = await startedS3();
  const store = await openCatalogue(url("a b/ü"), { storageOptions });
  const table = store.table("parts");

  const outcomes = [await table.insert(numbered(50)), await table.insert(numbered(60))];
  await store.flush();
  await table.fold({ isForced: true, retentionMs: 0 });
  const reading = await openCatalogue(url("a b/ü"), { storageOptions, mode: "read" });

  expect(outcomes).toEqual([
    { inserted: 50, present: 0 },
    { inserted: 10, present: 50 },
  ]);
  expect(reading.id).toBe(store.id);
  expect(await reading.table("parts").count()).toBe(60);
  expect([...objects.keys()].filter((key) => key.includes("probe"))).toEqual([]);
});

it("rejects with a StoreNotFoundError when no store is there, and writes nothing", async () => {
  const { url, storageOptions, objects } = await startedS3();

  const outcome = openCatalogue(url("none"), { storageOptions, mode: "read" });

  await expect(outcome).rejects.toThrow(StoreNotFoundError);
  expect(objects.size).toBe(0);
});

it("opens a folder that was copied to an object store, and the other way round", async () => {
  const s3 = await startedS3();
  const { url, storageOptions, objects } = s3;
  const store = await openCatalogue(url("first"), { storageOptions });
  await store.table("parts").insert(numbered(3));
  const [dataset = ""] = [...objects.keys()].flatMap(
    (key) => /first\/(parts\.[0-9a-f]{8}\.lance)/.exec(key)?.[1] ?? [],
  );

  // A folder has each table under its own name.
  for (const [key, bytes] of [...objects]) {
    if (!key.startsWith(`pond/first/${dataset}`)) continue;
    const copy = key.replace(`first/${dataset}`, "second/parts.lance").slice("pond/".length);
    await put(s3, copy, new Uint8Array(bytes));
  }
  const folder = temporaryFolder();
  for (const [key, bytes] of objects) {
    if (!key.startsWith("pond/first/")) continue;
    const path = join(folder, key.slice("pond/first/".length));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  }

  for (const copied of [
    await openCatalogue(url("second"), { storageOptions }),
    await openCatalogue(folder),
  ]) {
    expect(copied.id).toBe(store.id);
    expect(await copied.table("parts").insert(numbered(4))).toEqual({ inserted: 1, present: 3 });
  }
});

/** Puts an object there by no engine. */
async function put(
  { storageOptions }: Storage,
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
): Promise<void> {
  await fetch(`${storageOptions["aws_endpoint"]}/pond/${path}`, {
    method: "PUT",
    body,
    headers: { authorization: `Credential=${storageOptions["aws_access_key_id"]}/` },
  });
}

it("completes a store whose creation broke off before it recorded where a table is", async () => {
  const s3 = await startedS3();
  const { url, storageOptions } = s3;
  // What is written of a pointer before its first version.
  await put(s3, "half/parts.pointer.lance/_transactions/0-a.txn", "");
  const reading = openCatalogue(url("half"), { storageOptions, mode: "read" });
  await expect(reading).rejects.toThrow(StoreNotFoundError);

  const store = await openCatalogue(url("half"), { storageOptions });
  const outcome = await store.table("parts").insert(numbered(3));
  const again = await openCatalogue(url("half"), { storageOptions, mode: "read" });

  expect(outcome.inserted).toBe(3);
  expect(await again.table("parts").count()).toBe(3);
});

it.each([["parts"], ["prices"]])(
  "refuses a store that holds only part of table %s, as while it is being copied",
  async (table) => {
    const s3 = await startedS3();
    const { url, storageOptions } = s3;
    await put(s3, `copy/${table}.lance/data/a.lance`, "");

    const opening = openCatalogue(url("copy"), { storageOptions });

    await expect(opening).rejects.toThrow(StoreSchemaError);
    await expect(opening).rejects.toThrow(`${table}: only part of it is there`);
  },
);

it("refuses a store onto which another was copied, so that a table is there twice", async () => {
  const s3 = await startedS3();
  const { url, storageOptions, objects } = s3;
  const store = await openCatalogue(url("both"), { storageOptions });
  await store.table("parts").insert(numbered(3));
  for (const [key, bytes] of [...objects]) {
    const copy = key.replace(/^pond\/(both\/parts)\.[0-9a-f]{8}\.lance/, "$1.lance");
    if (copy !== key) await put(s3, copy, new Uint8Array(bytes));
  }

  for (const mode of ["read", "write"] as const) {
    const opening = openCatalogue(url("both"), { storageOptions, mode });
    await expect(opening).rejects.toThrow(StoreSchemaError);
    await expect(opening).rejects.toThrow(
      /there are two: parts\.lance and parts\.[0-9a-f]{8}\.lance/,
    );
  }
});

it.each([["directly"], ["through a slow proxy"]])(
  "refuses to write to an object store that ignores If-None-Match, reached %s",
  async (how) => {
    const s3 = await startedS3(false);
    const proxy = await startFaultyProxy(s3, { kind: "slow", delayMs: 3, share: 0.5 });
    onTestFinished(() => proxy.close());
    const { storageOptions } = how === "directly" ? s3 : proxy;

    const outcome = openCatalogue(s3.url("store"), { storageOptions });

    await expect(outcome).rejects.toThrow(StorageUnavailableError);
    await expect(outcome).rejects.toThrow("If-None-Match");
  },
);

describe("a store that was moved to an object store that ignores If-None-Match", () => {
  async function moved(tables = catalogue): Promise<Storage> {
    const [good, bad] = [await startedS3(), await startedS3(false)];
    const { storageOptions } = good;
    const store = await openCatalogue(good.url("store"), { storageOptions, tables });
    await store.table("parts").insert(numbered(30));
    await store.table("prices").insert({ maker: ["acme"], total: [1] });
    for (const [key, bytes] of good.objects) {
      await put(bad, key.slice("pond/".length), new Uint8Array(bytes));
    }
    return bad;
  }

  const shape = [new Float32Array([1, 0, 0, 0])];
  it.each<[string, (store: Store) => Promise<unknown>]>([
    ["insert", (store) => store.table("parts").insert(numbered(40))],
    ["replace", (store) => store.table("prices").replace({ maker: ["acme"], total: [2] })],
    ["update", (store) => store.table("parts").update({ maker: ["acme"], number: ["n1"], shape })],
    ["renew", (store) => store.table("parts").renew({ shape: { vector: 8 } })],
    ["dropIndex", (store) => store.table("parts").dropIndex("maker")],
    ["fold", (store) => store.table("parts").fold()],
    ["a forced fold", (store) => store.table("prices").fold({ isForced: true })],
    ["proveWritable", (store) => store.proveWritable()],
  ])("can be read, and %s refuses to write to it", async (_, write) => {
    const { url, storageOptions, objects } = await moved();
    const store = await openCatalogue(url("store"), { storageOptions });
    const before = [...objects.keys()];

    await expect(write(store)).rejects.toThrow(StorageUnavailableError);
    await expect(write(store)).rejects.toThrow("If-None-Match");

    expect(await store.table("parts").count()).toBe(30);
    expect([...objects.keys()].filter((key) => !key.includes("probe_"))).toEqual(before);
  });

  const [parts, ...others] = catalogue;
  it("is not opened when that would upgrade its tables", async () => {
    const { url, storageOptions } = await moved();
    const tables = [{ ...parts, schemaVersion: 2 } as TableDeclaration, ...others];

    const opening = openCatalogue(url("store"), { storageOptions, tables });

    await expect(opening).rejects.toThrow("If-None-Match");
  });

  it("is not opened when that would make an index", async () => {
    const without = { ...parts, indexes: [] } as unknown as TableDeclaration;
    const { url, storageOptions } = await moved([without, ...others]);

    const opening = openCatalogue(url("store"), { storageOptions });

    await expect(opening).rejects.toThrow("If-None-Match");
  });
});

it("runs all races of a proof concurrently", async () => {
  const s3 = await startedS3();
  const begun = Promise.withResolvers<void>();
  const proxy = await startFaultyProxy(s3, {
    ...{ kind: "hold", until: begun.promise, only: /^PUT .*probe_/, forRequests: 3 * 8 },
  });
  onTestFinished(() => proxy.close());
  const { storageOptions } = proxy;

  const opening = openCatalogue(s3.url("store"), { storageOptions });
  try {
    await vi.waitFor(() => expect(proxy.faults).toBe(3 * 8), 10_000);
  } finally {
    begun.resolve();
  }

  await opening;
});

it("creates all tables after the first concurrently", async () => {
  const s3 = await startedS3();
  const tables = [...catalogue, { ...prices, name: "more" }];
  const begun = Promise.withResolvers<void>();
  const only = /^PUT .*\/(prices|more)\./;
  const proxy = await startFaultyProxy(s3, { kind: "hold", until: begun.promise, only });
  onTestFinished(() => proxy.close());

  const { storageOptions } = proxy;
  const opening = openCatalogue(s3.url("store"), { storageOptions, tables });
  try {
    await vi.waitFor(() => expect(proxy.faults).toBe(2), 10_000);
  } finally {
    begun.resolve();
  }

  const store = await opening;
  for (const { name } of tables) expect(await store.table(name).count()).toBe(0);
});

it("proves once that an object store keeps what is written, and only when there is something to write", async () => {
  const s3 = await startedS3();
  const first = await openCatalogue(s3.url("store"), { storageOptions: s3.storageOptions });
  await first.table("parts").insert(numbered(30));
  await first.table("parts").fold();
  const proxy = await startFaultyProxy(s3, { kind: "slow", delayMs: 0, only: /probe_/ });
  onTestFinished(() => proxy.close());

  const store = await openCatalogue(s3.url("store"), { storageOptions: proxy.storageOptions });
  await store.table("parts").fold();
  const { faults: withoutNews } = proxy;
  const table = store.table("parts");
  await Promise.all([table.insert(numbered(31)), table.insert(numbered(32))]);
  const { faults: withNews } = proxy;
  await table.insert(numbered(33));

  expect(withoutNews).toBe(0);
  expect(withNews).toBeGreaterThan(0);
  expect(proxy.faults).toBe(withNews);
});

it("writes to a store though another one on the same object store cannot be written", async () => {
  const s3 = await startedS3();
  const { url, storageOptions } = s3;
  for (const name of ["own", "other"]) await openCatalogue(url(name), { storageOptions });
  const refused = { kind: "status", status: 403, only: /^PUT .*\/other\/probe_/ } as const;
  const proxy = await startFaultyProxy(s3, refused);
  onTestFinished(() => proxy.close());
  const open = async (name: string): Promise<Store> =>
    openCatalogue(url(name), { storageOptions: proxy.storageOptions });
  const [own, other] = [await open("own"), await open("other")];

  const [refusal, outcome] = await Promise.allSettled([
    other.table("parts").insert(numbered(3)),
    own.table("parts").insert(numbered(3)),
  ]);

  expect(refusal).toMatchObject({ reason: { name: "StorageUnavailableError" } });
  expect(outcome).toMatchObject({ value: { inserted: 3 } });
});

describe("storage that cannot be used is refused with a reason, without credentials,", () => {
  const secrets = { aws_secret_access_key: "s3cr3t-s3cr3t", aws_session_token: "t0k3n-t0k3n" };

  /** The engine takes two seconds to give up, so refusals are waited for together. */
  function refusals(places: readonly Place[]): Promise<(readonly [string, boolean])[]> {
    return Promise.all(places.map(refusal));
  }

  async function refusal(
    { url, storageOptions }: Place,
    index: number,
  ): Promise<readonly [string, boolean]> {
    try {
      await openCatalogue(url, { storageOptions, mode: index % 2 ? "read" : "write" });
      throw new TypeError("was opened");
    } catch (error) {
      if (!(error instanceof StorageUnavailableError)) throw error;
      // As it would be logged, cause and all.
      const text = inspect(error);
      for (const [name, value] of Object.entries(storageOptions)) {
        if (/secret|token|key|sas/.test(name)) expect(text).not.toContain(value);
      }
      expect(error.details.location).toBe(url);
      return [error.details.reason, error.details.isTransient];
    }
  }

  it("on S3 at a wrong address or with wrong credentials", async () => {
    const s3 = await startedS3();
    const cases: [Partial<Place>, string, boolean][] = [
      [
        { storageOptions: { aws_endpoint: "http://127.0.0.1:9" } },
        "it cannot be reached: connection refused",
        true,
      ],
      [{ storageOptions: { aws_endpoint: "http://pond.invalid" } }, "its host is not known", true],
      [
        { storageOptions: { aws_access_key_id: "AKIA-OTHER" } },
        "the credentials are refused (InvalidAccessKeyId)",
        false,
      ],
      [
        { storageOptions: { aws_endpoint: "http://name:s3cr3t/s3cr3t@127.0.0.1" } },
        "its aws_endpoint is not an address",
        false,
      ],
      [{ url: "s3://other/store" }, "there is no such bucket (NoSuchBucket)", false],
      [
        { storageOptions: { allow_http: "false" } },
        "its endpoint is not https, and allow_http is not set",
        false,
      ],
      [{ url: "s3://" }, "this is not the address of a bucket or container", false],
    ];

    const outcomes = await refusals(
      cases.map(([{ url = s3.url("store"), storageOptions }]) => ({
        url,
        storageOptions: { ...s3.storageOptions, ...secrets, ...storageOptions },
      })),
    );

    expect(outcomes).toEqual(cases.map(([, ...expected]) => expected));
    expect(s3.objects.size).toBe(0);
  });

  it("on S3 that fails", async () => {
    const s3 = await startedS3();
    const cases: [Fault, string, boolean][] = [
      [{ kind: "status", status: 503 }, "it answers 503 (SlowDown)", true],
      [{ kind: "status", status: 403 }, "the credentials are refused (ExpiredToken)", false],
      [{ kind: "reset", when: "before" }, "it closed the connection", true],
      [{ kind: "hang" }, "it does not answer in time", true],
    ];
    const proxies = await Promise.all(cases.map(([fault]) => startFaultyProxy(s3, fault)));
    onTestFinished(async () => {
      for (const proxy of proxies) await proxy.close();
    });

    // Short only where no answer comes: on a machine that is busy, an answer takes longer.
    const waits = cases.map(([{ kind }]) => (kind === "hang" ? { timeout: "200ms" } : {}));

    const outcomes = await refusals(
      proxies.map(({ storageOptions }, index) => ({
        url: s3.url("store"),
        storageOptions: { ...storageOptions, ...secrets, ...waits[index] },
      })),
    );

    expect(outcomes).toEqual(cases.map(([, ...expected]) => expected));
  });

  it("on Azure", async ({ skip }) => {
    const azure = await startAzurite();
    if (azure === undefined) return skip("azurite cannot run here");
    onTestFinished(() => azure.close());
    const sas = { azure_storage_sas_token: "sv=2021-12-02&sig=s1gnatur3&se=2030-01-01" };
    const { account_key, ...withoutKey } = azure.storageOptions;
    const cases: [Place, string][] = [
      [
        {
          url: azure.url("store"),
          storageOptions: { ...withoutKey, account_key: btoa("an0ther-k3y") },
        },
        "the credentials are refused (AuthorizationFailure)",
      ],
      [
        { url: azure.url("store"), storageOptions: { ...withoutKey, ...sas } },
        "the credentials are refused (AuthorizationFailure)",
      ],
      [
        { url: "az://other/store", storageOptions: azure.storageOptions },
        "there is no such bucket (ContainerNotFound)",
      ],
    ];

    const outcomes = await refusals(cases.map(([place]) => place));

    expect(outcomes).toEqual(cases.map(([, reason]) => [reason, false]));
  });

  it("of an unknown kind", async () => {
    const [[reason, isTransient] = []] = await refusals([
      { url: "ftp://host/store", storageOptions: {} },
    ]);

    expect(reason).toBe('"ftp" is not a kind of storage; use a folder, s3://, az:// or gs://');
    expect(isTransient).toBe(false);
  });
});

it("a store shares its caches with other stores within one limit", async () => {
  const { url, storageOptions } = await startedS3();
  const caches = createCaches({ indexBytes: 1024 * 1024, metadataBytes: 1024 * 1024 });
  const stores = await Promise.all(
    ["one", "two", "three"].map((path) => openCatalogue(url(path), { storageOptions, caches })),
  );
  const grown: number[] = [];
  for (const [index, store] of stores.entries()) {
    const table = store.table("parts");
    await table.insert(numbered(20 + index));
    await table.fold({ isForced: true });
    const query = { terms: "bolt" };
    await table.fullText({ column: "description", query, columns: ["number"], limit: 1 });
    grown.push(caches.bytes);
  }

  expect(grown[0]).toBeGreaterThan(0);
  expect(grown[1]).toBeGreaterThan(grown[0] ?? 0);
  expect(caches.bytes).toBeLessThanOrEqual(2 * 1024 * 1024);
  // Each reads its own rows out of them.
  const counts = await Promise.all(stores.map((store) => store.table("parts").count()));
  expect(counts).toEqual([20, 21, 22]);
  for (const store of stores.slice(0, 2)) store.close();
  expect(await stores[2]?.table("parts").count()).toBe(22);
});
