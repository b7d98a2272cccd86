import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { copyStore } from "./copy.ts";
import type { Column } from "./declaration.ts";
import { arrow } from "./engine/arrow.ts";
import { StorageUnavailableError, StoreNotFoundError, StoreSchemaError } from "./errors.ts";
import { verifyStore } from "./integrity/verify.ts";
import { openStore } from "./store.ts";
import { catalogue, numbered, parts, prices } from "./testing/catalogue.ts";
import {
  connectLance,
  onFolders,
  openCatalogue,
  openLanceTable,
  storageOptions,
  temporaryFolder,
  temporaryLocation,
} from "./testing/store.ts";

describe("opening to read", () => {
  onFolders("see object-store.test.ts")(
    "fails with the location of a missing store, and creates nothing",
    async () => {
      const folder = join(temporaryFolder(), "store");

      const outcome = openCatalogue(folder, { mode: "read" });

      await expect(outcome).rejects.toThrow(StoreNotFoundError);
      await expect(outcome).rejects.toMatchObject({
        code: "store_not_found",
        details: { location: folder },
      });
      expect(existsSync(folder)).toBe(false);
    },
  );

  onFolders("it looks at a folder")("treats an empty folder as a missing store", async () => {
    const folder = temporaryFolder();

    await expect(openCatalogue(folder, { mode: "read" })).rejects.toThrow(StoreNotFoundError);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("refuses a store that lacks a declared table, until a write has made the table", async () => {
    const location = temporaryLocation();
    await openCatalogue(location, { tables: [parts] });

    await expect(openCatalogue(location, { mode: "read" })).rejects.toThrow(StoreSchemaError);
    await openCatalogue(location);
    await openCatalogue(location, { mode: "read" });
  });
});

describe("the store's id", () => {
  it("stays the same when the store is opened again", async () => {
    const location = temporaryLocation();

    const ids = [
      (await openCatalogue(location)).id,
      (await openCatalogue(location)).id,
      (await openCatalogue(location, { mode: "read" })).id,
      (await openCatalogue(asUrl(location))).id,
    ];

    expect(ids).toEqual(new Array(4).fill(ids[0]));
    expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("differs between two stores", async () => {
    expect((await openCatalogue()).id).not.toBe((await openCatalogue()).id);
  });
});

it("creates a store once, however many openings create it at the same moment", async () => {
  const isFolder = !temporaryLocation().includes("://");
  for (let round = 0; round < (isFolder ? 10 : 3); round++) {
    const location = temporaryLocation();

    const stores = await Promise.all([1, 2, 3, 4].map(() => openCatalogue(location)));
    await Promise.all(stores.map((store) => store.table("parts").insert(numbered(5, store.id))));

    const [first] = stores;
    expect(stores.map(({ id }) => id)).toEqual(new Array(4).fill(first?.id));
    expect(await first?.table("parts").count()).toBe(5);
    // What the slower ones made is gone.
    const names = await (await connectLance(location)).tableNames();
    expect(names.map((name) => name.replace(/\.[0-9a-f]{8}$/, ".dataset"))).toEqual(
      isFolder
        ? ["parts", "prices"]
        : ["parts.dataset", "parts.pointer", "prices.dataset", "prices.pointer"],
    );
  }
});

onFolders("addresses are never relative")(
  "opens a relative folder whose name begins like a LanceDB Cloud address",
  async () => {
    const before = process.cwd();
    process.chdir(temporaryFolder());
    try {
      const store = await openCatalogue("db/store");

      expect(store.location).toBe(join(process.cwd(), "db/store"));
    } finally {
      process.chdir(before);
    }
  },
);

onFolders("it removes a folder")(
  "refuses a store that lost a table, and makes no empty one in its place",
  async () => {
    const location = temporaryFolder();
    const tables = [parts, { ...prices, isDerived: false }];
    const store = await openCatalogue(location, { tables });
    await store.table("parts").insert(numbered(2));
    store.close();
    rmSync(join(location, "prices.lance"), { recursive: true });

    for (const mode of ["read", "write"] as const) {
      const outcome = openCatalogue(location, { mode, tables });
      await expect(outcome).rejects.toThrow(StoreSchemaError);
      await expect(outcome).rejects.toThrow("table prices: it is lost, but parts holds rows");
      await expect(outcome).rejects.toMatchObject({ details: { problem: "lost" } });
    }
    expect(readdirSync(location)).toEqual(["parts.lance"]);
  },
);

it.each<[string, Column, string]>([
  ["times", { type: "timestamp" }, "number is of its key, so it can be text, int64"],
  ["floating-point numbers", { type: "float64" }, "number is of its key, so it can be text, int64"],
  ["vectors", { type: { vector: 4 } }, "number is of its key, so it can be text, int64"],
  ["nullable text", { type: "text", isNullable: true }, "so it cannot be nullable"],
])("lance-table-creation-unenforced-pk: refuses a key of %s", async (_, column, reason) => {
  const location = temporaryLocation();
  const keyed = { ...parts, columns: { ...parts.columns, number: column } };

  for (const mode of ["read", "write"] as const) {
    const outcome = openCatalogue(location, { mode, tables: [prices, keyed] });
    await expect(outcome).rejects.toThrow(StoreSchemaError);
    await expect(outcome).rejects.toThrow(reason);
  }
  await expect(openCatalogue(location, { mode: "read" })).rejects.toThrow(StoreNotFoundError);
});

it("refuses an unknown mode, and storage options that are not text", async () => {
  const location = temporaryLocation();
  await openCatalogue(location);

  const leftOut = { ...storageOptions, timeout: undefined as unknown as string };
  await openCatalogue(location, { storageOptions: leftOut });
  const mode = openCatalogue(location, { mode: "wirte" as "write" });
  const options = openCatalogue(location, { storageOptions: { timeout: 5 as unknown as string } });

  await expect(mode).rejects.toThrow(new TypeError('no mode is called "wirte"'));
  await expect(options).rejects.toThrow(new TypeError("storageOptions.timeout is not a string"));
});

it.each([Number.NaN, -1, Number.POSITIVE_INFINITY])(
  "refuses a staleness of %s milliseconds as a wrong option",
  async (stalenessMs) => {
    const location = temporaryLocation();
    await openCatalogue(location);

    const outcome = openCatalogue(location, { stalenessMs });

    await expect(outcome).rejects.toThrow(TypeError);
    await expect(outcome).rejects.toThrow("stalenessMs");
  },
);

it.each(["s3://", "s3:///store"])("refuses %s, which names no bucket", async (location) => {
  const outcome = openStore(location, { tables: catalogue });

  await expect(outcome).rejects.toThrow(StorageUnavailableError);
  await expect(outcome).rejects.toThrow("this is not the address of a bucket or container");
});

it("refuses every write when it is open to read", async () => {
  const location = temporaryLocation();
  await (await openCatalogue(location)).table("parts").insert(numbered(2));
  const store = await openCatalogue(location, { mode: "read" });
  const [stored, derived] = [store.table("parts"), store.table("prices")];
  const version = await stored.version();

  const writes = [
    () => stored.insert(numbered(3)),
    () => stored.insert({}),
    () => stored.append(numbered(3)),
    () => stored.update({ maker: ["acme"], number: ["n0"], shaped_by: ["me"] }),
    () => stored.renew({ shaped_by: "text" }),
    () => stored.fold({ isForced: true }),
    () => stored.dropIndex("maker"),
    () => derived.replace({ maker: ["acme"], total: [1] }),
    () => copyStore(store, store, ["parts"]),
  ];

  for (const write of writes) {
    await expect(write()).rejects.toThrow(TypeError);
    await expect(write()).rejects.toThrow('the store is open in mode "read", not "write"');
  }
  expect([await stored.version(), await stored.count()]).toEqual([version, 2]);
});

describe("a table that came with a later version", () => {
  const wheels = { ...prices, name: "wheels", isDerived: false, since: 2 };
  const later = [{ ...parts, schemaVersion: 2 }, prices, wheels];

  it("is reported as unmade when opened to read, and made when opened to write, beside stored rows", async () => {
    const location = temporaryLocation();
    const earlier = await openCatalogue(location);
    await earlier.table("parts").insert(numbered(2));

    const reading = openCatalogue(location, { tables: later, mode: "read" });
    await expect(reading).rejects.toThrow("older than this table; write to the store once");
    await expect(reading).rejects.toMatchObject({ details: { problem: "unmade" } });
    const verdicts = await verifyStore(location, { tables: later, storageOptions });
    const store = await openCatalogue(location, { tables: later });
    await store.table("wheels").insert({ maker: ["acme"] });

    expect(verdicts.map(({ name, damages }) => [name, damages])).toEqual([
      ["parts", []],
      ["prices", []],
    ]);
    expect(store.id).toBe(earlier.id);
    const reader = await openCatalogue(location, { tables: later, mode: "read" });
    expect(await reader.table("wheels").count()).toBe(1);
    expect(await reader.table("parts").count()).toBe(2);
  });

  onFolders("it removes a folder")(
    "is reported as lost when it is missing from a store of that version",
    async () => {
      const location = temporaryFolder();
      const store = await openCatalogue(location, { tables: later });
      await store.table("parts").insert(numbered(2));
      store.close();
      rmSync(join(location, "wheels.lance"), { recursive: true });

      for (const mode of ["read", "write"] as const) {
        const outcome = openCatalogue(location, { mode, tables: later });
        await expect(outcome).rejects.toThrow("table wheels: it is lost, but parts holds rows");
      }
      const verdicts = await verifyStore(location, { tables: later });
      expect(verdicts[2]?.damages).toMatchObject([{ reason: "it is not there" }]);
    },
  );
});

describe("lance-dataset-schema-version", () => {
  it("refuses a table that a newer version made", async () => {
    const location = temporaryLocation();
    await openCatalogue(location, { tables: [{ ...parts, schemaVersion: 2 }, prices] });

    for (const mode of ["read", "write"] as const) {
      const outcome = openCatalogue(location, { mode });
      await expect(outcome).rejects.toThrow(StoreSchemaError);
      await expect(outcome).rejects.toThrow("update pond");
      await expect(outcome).rejects.toMatchObject({ details: { table: "parts" } });
    }
  });

  it.each([
    ["lacks a column", { ...parts, columns: { ...parts.columns, colour: { type: "text" } } }],
    [
      "holds a column as another type",
      { ...parts, columns: { ...parts.columns, order: { type: "text" } } },
    ],
    [
      "has vectors of another length",
      { ...parts, columns: { ...parts.columns, shape: { type: { vector: 5 }, isNullable: true } } },
    ],
  ] as const)("refuses a table that %s", async (_, declaration) => {
    const location = temporaryLocation();
    await openCatalogue(location);

    await expect(openCatalogue(location, { tables: [declaration, prices] })).rejects.toThrow(
      StoreSchemaError,
    );
  });

  it("refuses a table that another program made, and a table with another key", async () => {
    const location = temporaryLocation();
    await (await connectLance(location)).createEmptyTable(
      "prices",
      new arrow.Schema([new arrow.Field("maker", new arrow.Utf8(), false)]),
    );

    await expect(openCatalogue(location)).rejects.toThrow(StoreSchemaError);
    await expect(openCatalogue(location, { tables: [parts] })).resolves.toBeDefined();
    for (const primaryKey of [["number", "maker"], ["number"], ["maker"]]) {
      const outcome = openCatalogue(location, { tables: [{ ...parts, primaryKey }] });
      await expect(outcome).rejects.toBeInstanceOf(StoreSchemaError);
      await expect(outcome).rejects.toThrow(`with another key than ${primaryKey.join(", ")}`);
    }
  });
});

it("lance-table-creation-stable-row-ids: row ids go on counting from commit to commit", async () => {
  const location = temporaryLocation();
  const store = await openCatalogue(location);
  await store.table("parts").insert(numbered(2));
  await store.table("parts").insert(numbered(2, "globex"));

  const table = await openLanceTable(location, "parts");
  const rows = await table.query().select(["number"]).withRowId().toArray();

  expect(rows.map(({ _rowid }) => Number(_rowid))).toEqual([0, 1, 2, 3]);
});

it("gives the path of a table's dataset, which another engine can open", async () => {
  const location = temporaryLocation();
  const table = (await openCatalogue(location)).table("parts");
  await table.insert(numbered(7));

  const [, folder = "", name = ""] = /^(.*)\/([^/]+)\.lance$/.exec(table.uri) ?? [];
  const plain = await (await connectLance(folder)).openTable(name);

  expect(folder).toBe(location);
  expect(await plain.countRows()).toBe(7);
});

it("knows only the tables that it was opened with", async () => {
  const store = await openCatalogue();

  expect(() => store.table("suppliers")).toThrow(TypeError);
  expect(() => store.table("constructor")).toThrow(TypeError);
});

it("lance-handle-freshness: one store sees at once what another one wrote", async () => {
  const location = temporaryLocation();
  const writing = await openCatalogue(location);
  const reading = await openCatalogue(location, { mode: "read" });
  await reading.table("parts").count();

  await writing.table("parts").insert(numbered(3));

  expect(await reading.table("parts").count()).toBe(3);
});

it("can be closed while it is being read: no read gives less than all, and every row stays", async () => {
  const location = temporaryLocation();
  const store = await openStore(location, { tables: catalogue, mode: "write", storageOptions });
  await store.table("parts").insert(numbered(2_000));
  const reads = [1, 2, 3].map(() => store.table("parts").rows({ columns: ["number"] }));

  expect(() => store.close()).not.toThrow();

  for (const read of await Promise.allSettled(reads)) {
    if (read.status === "fulfilled") expect(read.value).toHaveLength(2_000);
    else expect(read.reason).toMatchObject({ code: "store_closed" });
  }
  const again = await openCatalogue(location, { mode: "read" });
  expect(await again.table("parts").count()).toBe(2_000);
});

it("rejects every call after it is closed with store_closed", async () => {
  const store = await openCatalogue();
  const parts = store.table("parts");
  store.close();

  const asked = [
    () => parts.insert(numbered(1)),
    () => parts.rows({ columns: ["number"] }),
    () => parts.count(),
    () => parts.fold(),
    () => parts.health(),
    () =>
      parts.fullText({
        column: "description",
        query: { terms: "a" },
        columns: ["number"],
        limit: 1,
      }),
    () => store.refresh(),
  ];

  for (const each of asked) await expect(each()).rejects.toMatchObject({ code: "store_closed" });
});

it("flushes while another handle on the store removes old versions", async () => {
  const location = temporaryLocation();
  const [store, other] = [await openCatalogue(location), await openCatalogue(location)];
  const table = store.table("parts");
  for (let from = 0; from < 30; from += 10) {
    await table.insert(numbered(10, "acme", from));
    await Promise.all([
      store.flush(),
      other.table("parts").fold({ isForced: true, retentionMs: 0 }),
      store.flush(),
    ]);
  }

  expect(await table.count()).toBe(30);
});

it("copies every row of a store, and none twice when it copies again", async () => {
  const [from, to] = [await openCatalogue(), await openCatalogue()];
  await from.table("parts").insert({
    ...numbered(2_500),
    shape: numbered(2_500)["number"]?.map((_, index) => Float32Array.of(index, 0.5, 0, 1)) ?? [],
    listed: numbered(2_500)["number"]?.map((_, index) => BigInt(index) * 1_000_003n) ?? [],
  });
  await from.table("prices").replace({ maker: ["acme"], total: [12.5] });

  const copied = [
    await copyStore(from, to, ["parts", "prices"]),
    await copyStore(from, to, ["parts", "prices"]),
  ];

  expect(copied).toEqual([
    { parts: 2_500, prices: 1 },
    { parts: 0, prices: 0 },
  ]);
  for (const { name, columns } of catalogue) {
    const all = {
      columns: Object.keys(columns),
      orderBy: [{ column: name === "parts" ? "number" : "maker" }],
    };
    expect(await to.table(name).rows(all)).toEqual(await from.table(name).rows(all));
  }
});

it("opens a store of 15 tables", async () => {
  const tables = Array.from({ length: 15 }, (_, index) => ({ ...prices, name: `prices_${index}` }));
  const location = temporaryLocation();
  (await openStore(location, { tables, mode: "write", storageOptions })).close();

  const store = await openStore(location, { tables, storageOptions });

  expect(await store.table("prices_14").count()).toBe(0);
  store.close();
});

/** The same place, said in the other way there is for a folder. */
function asUrl(location: string): string {
  return location.includes("://") ? location : pathToFileURL(location).href;
}

it.each(["v22.17.1", "v20.20.2"])("refuses Node %s before it makes anything", async (old) => {
  const location = join(temporaryFolder(), "store");
  const { version } = process;
  onTestFinished(() => void Object.defineProperty(process, "version", { value: version }));
  Object.defineProperty(process, "version", { value: old });

  await expect(openStore(location, { tables: [parts], mode: "write" })).rejects.toThrow(
    `a store needs Node 22.18 or later; this is ${old}`,
  );
  expect(existsSync(location)).toBe(false);
});
