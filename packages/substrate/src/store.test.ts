import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { arrow } from "./arrow.ts";
import { copyStore } from "./copy.ts";
import { StoreNotFoundError, StoreSchemaError } from "./errors.ts";
import { loadLance } from "./lance.ts";
import { openStore } from "./store.ts";
import { catalogue, numbered, parts, prices } from "./testing/catalogue.ts";
import { openCatalogue, temporaryFolder } from "./testing/store.ts";

describe("opening to read", () => {
  it("names a store that is not there and leaves nothing behind", async () => {
    const folder = join(temporaryFolder(), "store");

    const outcome = openCatalogue(folder, { mode: "read" });

    await expect(outcome).rejects.toThrow(StoreNotFoundError);
    await expect(outcome).rejects.toMatchObject({
      code: "store_not_found",
      details: { location: folder },
    });
    expect(existsSync(folder)).toBe(false);
  });

  it("takes an empty folder for no store", async () => {
    const folder = temporaryFolder();

    await expect(openCatalogue(folder, { mode: "read" })).rejects.toThrow(StoreNotFoundError);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("says so when the store is older than one of its tables", async () => {
    const folder = temporaryFolder();
    await openCatalogue(folder, { tables: [parts] });

    await expect(openCatalogue(folder, { mode: "read" })).rejects.toThrow(StoreSchemaError);
    await openCatalogue(folder);
    await openCatalogue(folder, { mode: "read" });
  });
});

describe("the store's id", () => {
  it("is made once and kept", async () => {
    const folder = temporaryFolder();

    const ids = [
      (await openCatalogue(folder)).id,
      (await openCatalogue(folder)).id,
      (await openCatalogue(folder, { mode: "read" })).id,
      (await openCatalogue(`file://${folder}`)).id,
    ];

    expect(ids).toEqual(new Array(4).fill(ids[0]));
    expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("is another one for another store", async () => {
    expect((await openCatalogue()).id).not.toBe((await openCatalogue()).id);
  });
});

it("is created once, however many create it at the same moment", async () => {
  for (let round = 0; round < 10; round++) {
    const folder = temporaryFolder();

    const stores = await Promise.all([1, 2, 3, 4].map(() => openCatalogue(folder)));
    await Promise.all(stores.map((store) => store.table("parts").insert(numbered(5, store.id))));

    // One engine creating over another's table would leave a second first version.
    const [first] = stores;
    expect(stores.map(({ id }) => id)).toEqual(new Array(4).fill(first?.id));
    expect(await first?.table("parts").count()).toBe(5);
    expect(readdirSync(folder).sort()).toEqual(["parts.lance", "prices.lance"]);
  }
});

it("opens a relative folder whose name begins like LanceDB's cloud", async () => {
  const before = process.cwd();
  process.chdir(temporaryFolder());
  try {
    const store = await openCatalogue("db/store");

    expect(store.location).toBe(join(process.cwd(), "db/store"));
  } finally {
    process.chdir(before);
  }
});

describe("lance-dataset-schema-version", () => {
  it("refuses a table that a newer version made", async () => {
    const folder = temporaryFolder();
    await openCatalogue(folder, { tables: [{ ...parts, schemaVersion: 2 }, prices] });

    for (const mode of ["read", "write"] as const) {
      const outcome = openCatalogue(folder, { mode });
      await expect(outcome).rejects.toThrow(StoreSchemaError);
      await expect(outcome).rejects.toThrow("update pond");
      await expect(outcome).rejects.toMatchObject({ details: { table: "parts" } });
    }
  });

  it.each([
    ["lacks a column", { ...parts, columns: { ...parts.columns, colour: { type: "text" } } }],
    [
      "holds one as another type",
      { ...parts, columns: { ...parts.columns, order: { type: "text" } } },
    ],
    [
      "has vectors of another length",
      { ...parts, columns: { ...parts.columns, shape: { type: { vector: 5 }, isNullable: true } } },
    ],
  ] as const)("refuses a table that %s", async (_, declaration) => {
    const folder = temporaryFolder();
    await openCatalogue(folder);

    await expect(openCatalogue(folder, { tables: [declaration, prices] })).rejects.toThrow(
      StoreSchemaError,
    );
  });

  it("refuses a table that something else made, and one with another key", async () => {
    const folder = temporaryFolder();
    const connection = await loadLance().connect(folder);
    await connection.createEmptyTable(
      "prices",
      new arrow.Schema([new arrow.Field("maker", new arrow.Utf8(), false)]),
    );
    connection.close();

    await expect(openCatalogue(folder)).rejects.toThrow(StoreSchemaError);
    await expect(openCatalogue(folder, { tables: [parts] })).resolves.toBeDefined();
    const keyed = { ...parts, primaryKey: ["number", "maker"] };
    await expect(openCatalogue(folder, { tables: [keyed] })).rejects.toThrow(StoreSchemaError);
  });
});

it("lance-table-creation-stable-row-ids: row ids go on counting from commit to commit", async () => {
  const folder = temporaryFolder();
  const store = await openCatalogue(folder);
  await store.table("parts").insert(numbered(2));
  await store.table("parts").insert(numbered(2, "globex"));

  const connection = await loadLance().connect(folder);
  const table = await connection.openTable("parts");
  const rows = await table.query().select(["number"]).withRowId().toArray();
  connection.close();

  expect(rows.map(({ _rowid }) => Number(_rowid))).toEqual([0, 1, 2, 3]);
});

it("knows the tables it was opened with and no other", async () => {
  const store = await openCatalogue();

  expect(() => store.table("suppliers")).toThrow(TypeError);
  expect(() => store.table("constructor")).toThrow(TypeError);
});

it("lance-handle-freshness: one store sees at once what another one wrote", async () => {
  const folder = temporaryFolder();
  const writing = await openCatalogue(folder);
  const reading = await openCatalogue(folder, { mode: "read" });
  await reading.table("parts").count();

  await writing.table("parts").insert(numbered(3));

  expect(await reading.table("parts").count()).toBe(3);
});

it("can be closed while it is read, which fails only what is read", async () => {
  const store = await openStore(temporaryFolder(), { tables: catalogue, mode: "write" });
  await store.table("parts").insert(numbered(2_000));
  const reads = [1, 2, 3].map(() => store.table("parts").rows({ columns: ["number"] }));

  expect(() => store.close()).not.toThrow();
  await Promise.allSettled(reads);
});

it("flushes while another process cleans up", async () => {
  const store = await openCatalogue();
  const table = store.table("parts");
  for (let from = 0; from < 30; from += 10) {
    await table.insert(numbered(10, "acme", from));
    await Promise.all([
      store.flush(),
      table.fold({ isForced: true, retentionMs: 0 }),
      store.flush(),
    ]);
  }

  expect(await table.count()).toBe(30);
});

it("copies every row of a store, and again without doubling any", async () => {
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

it("opens many tables", async () => {
  const tables = Array.from({ length: 15 }, (_, index) => ({ ...prices, name: `prices_${index}` }));
  const folder = temporaryFolder();
  (await openStore(folder, { tables, mode: "write" })).close();

  const store = await openStore(folder, { tables });

  expect(await store.table("prices_14").count()).toBe(0);
  store.close();
});
