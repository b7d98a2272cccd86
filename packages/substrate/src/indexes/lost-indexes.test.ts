import { describe, expect, it } from "vitest";
import type { Cell, ColumnType, TableDeclaration } from "../declaration.ts";
import { loadLance } from "../engine/lance.ts";
import { verifyStore } from "../integrity/verify.ts";
import { eq, isNotNull } from "../read/filter.ts";
import type { Table } from "../table.ts";
import { catalogue, numbered } from "../testing/catalogue.ts";
import {
  openCatalogue,
  openLanceTable,
  storageOptions,
  temporaryLocation,
} from "../testing/store.ts";

/** Renews a column while another process indexes it, whose commit comes later. */
async function loseIndex(location: string, table: Table): Promise<void> {
  const behind = await openLanceTable(location, "parts");
  await table.renew({ shape: { vector: 4 }, shaped_by: "text" });
  await behind.createIndex("shaped_by", { config: loadLance().Index.bitmap() });
  await expect(behind.countRows("maker = 'acme'")).rejects.toThrow("Index referenced a field");
}

const { maker = [], number = [] } = numbered(1);
const ofAcme = eq("maker", "acme");

describe("an index on a column that another process has just renewed", () => {
  it.each<[string, (table: Table) => Promise<unknown>, unknown]>([
    ["counts", (table) => table.count(ofAcme), 20],
    [
      "reads",
      (table) => table.rows({ columns: ["number"], where: ofAcme, limit: 1 }),
      [{ number: "n0" }],
    ],
    ["inserts", async (table) => (await table.insert(numbered(1, "globex"))).inserted, 1],
    ["updates", (table) => table.update({ maker, number, shaped_by: ["m1"] }), 1],
    ["folds", async (table) => (await table.fold({ isForced: true })).isFolded, true],
    ["renews", (table) => table.renew({ shape: { vector: 8 }, shaped_by: "text" }), undefined],
  ])("does no harm to a process that has the table open and %s", async (_, use, expected) => {
    const location = temporaryLocation();
    const table = (await openCatalogue(location)).table("parts");
    await table.insert(numbered(20));
    await loseIndex(location, table);

    expect(await use(table)).toEqual(expected);
    expect(await table.count(ofAcme)).toBe(20);
  });

  it.each(["read", "write"] as const)(
    "is dropped by a process that opens the store to %s",
    async (mode) => {
      const location = temporaryLocation();
      const table = (await openCatalogue(location)).table("parts");
      await table.insert(numbered(20));
      await loseIndex(location, table);

      await openCatalogue(location, { mode });

      const plain = await openLanceTable(location, "parts");
      expect(await plain.countRows("maker = 'acme'")).toBe(20);
      await table.fold({ isForced: true });
      const { indexes } = await table.health();
      expect(indexes.map(({ name }) => name)).toContain("shaped_by_idx");
    },
  );

  it.each<[ColumnType, Cell]>([
    ["int64", 7n],
    ["bytes", Uint8Array.of(7)],
  ])("is dropped from a table with keys of %s too", async (type, key) => {
    const location = temporaryLocation();
    const keyed: TableDeclaration = {
      ...{ name: "keyed", schemaVersion: 1, primaryKey: ["id"] },
      columns: { id: { type }, by: { type: "text", isNullable: true, isDerived: true } },
      indexes: [{ column: "by", kind: "bitmap" }],
    };
    const table = (await openCatalogue(location, { tables: [keyed] })).table("keyed");
    await table.insert({ id: [key] });
    const behind = await openLanceTable(location, "keyed");
    await table.renew({ by: "text" });
    await behind.createIndex("by", { config: loadLance().Index.bitmap() });

    const opened = await openCatalogue(location, { tables: [keyed] });

    expect(await opened.table("keyed").count(isNotNull("id"))).toBe(1);
    await expect((await openLanceTable(location, "keyed")).countRows("id IS NULL")).resolves.toBe(
      0,
    );
  });

  it("is left in place by a verification, which reads the table all the same", async () => {
    const location = temporaryLocation();
    const table = (await openCatalogue(location)).table("parts");
    await table.insert(numbered(20));
    await loseIndex(location, table);

    const verdicts = await verifyStore(location, { tables: catalogue, storageOptions });

    expect(verdicts[0]).toEqual({ name: "parts", readableRows: 20, damages: [] });
    const plain = await openLanceTable(location, "parts");
    await expect(plain.countRows("maker = 'acme'")).rejects.toThrow("Index referenced a field");
  });
});
