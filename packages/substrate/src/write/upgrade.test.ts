import { expect, it } from "vitest";
import type { Column, TableDeclaration } from "../declaration.ts";
import { fromSchema } from "../engine/schema.ts";
import { StoreSchemaError } from "../errors.ts";
import { verifyStore } from "../integrity/verify.ts";
import { numbered, parts, prices } from "../testing/catalogue.ts";
import {
  openCatalogue,
  openLanceTable,
  storageOptions,
  temporaryLocation,
} from "../testing/store.ts";
import { upgrade } from "./upgrade.ts";

const { shape, shaped_by, ...kept } = parts.columns;
const since2 = (column: Column | undefined): Column => ({ type: "text", ...column, since: 2 });
/** The table as an earlier version declared it. */
const earlier: TableDeclaration = {
  ...parts,
  columns: kept,
  indexes: parts.indexes.filter(({ column }) => column in kept),
};
const later: TableDeclaration = {
  ...parts,
  schemaVersion: 2,
  columns: { ...kept, shape: since2(shape), shaped_by: since2(shaped_by) },
};

async function madeEarlier(): Promise<string> {
  const location = temporaryLocation();
  const store = await openCatalogue(location, { tables: [earlier] });
  await store.table("parts").insert(numbered(3));
  store.close();
  return location;
}

const columns = ["number", "shaped_by", "description"];

it("reads a derived column that the table does not have yet as null", async () => {
  const location = await madeEarlier();

  const store = await openCatalogue(location, { tables: [later], mode: "read" });

  const query = { terms: "bolt" };
  const found = { column: "description", query, columns: ["shaped_by"], limit: 1 };
  expect(await store.table("parts").rows({ columns, limit: 1 })).toEqual([
    { number: "n0", shaped_by: null, description: "hex bolt number 0" },
  ]);
  expect(await store.table("parts").fullText(found)).toMatchObject([{ shaped_by: null }]);
  const content = {
    columns: { parts: columns },
    next: () => "parts",
    add: (_table: string, rows: readonly object[]) => expect(rows[0]).toHaveProperty("shaped_by"),
    finish: () => new Map(),
  };
  expect(await verifyStore(location, { tables: [later], storageOptions, content })).toEqual([
    { name: "parts", readableRows: 3, damages: [] },
  ]);
});

it("returns every row when only columns are asked for that the table does not have yet", async () => {
  const store = await openCatalogue(await madeEarlier(), { tables: [later], mode: "read" });
  const table = store.table("parts");

  expect(await table.rows({ columns: ["shaped_by"] })).toMatchObject(
    Array(3).fill({ shaped_by: null }),
  );
  const search = { column: "description", query: { terms: "bolt" }, limit: 1 };
  expect(await table.explain({ ...search, columns: ["shaped_by"] })).toContain("MatchQuery");
});

it("sees a column once another process has added it", async () => {
  const location = await madeEarlier();
  const reader = await openCatalogue(location, { tables: [later], mode: "read" });
  const writer = (await openCatalogue(location, { tables: [later] })).table("parts");
  await writer.update({ maker: ["acme"], number: ["n1"], shaped_by: ["m1"] });

  const rows = await reader.table("parts").rows({ columns: ["number", "shaped_by"] });

  expect(Object.fromEntries(rows.map((row) => [row["number"], row["shaped_by"]]))).toEqual({
    ...{ n0: null, n1: "m1", n2: null },
  });
});

it("refuses a table that has lost a column, and upgrades none of the others", async () => {
  const location = await madeEarlier();
  const [broken, first] = [
    { ...prices, columns: { ...prices.columns, lost: { type: "text", isDerived: true } } } as const,
    { ...later, name: "parts" },
  ];
  await openCatalogue(location, { tables: [earlier, prices] });

  const opened = openCatalogue(location, { tables: [first, broken] });

  await expect(opened).rejects.toThrow(/column lost is missing/);
  const schema = await (await openLanceTable(location, "parts")).schema();
  expect(fromSchema(schema, later)).toMatchObject({ schemaVersion: 1 });
});

it("adds a column when opened to write, and keeps older versions out from then on", async () => {
  const location = await madeEarlier();

  const table = (await openCatalogue(location, { tables: [later] })).table("parts");

  await table.insert(numbered(1, "bolts & co"));
  const { maker = [], number = [] } = numbered(3);
  expect(await table.update({ maker, number, shaped_by: number.map(() => "m1") })).toBe(3);
  const rows = await table.rows({ columns: ["maker", "shaped_by"] });
  expect(rows.map(({ maker, shaped_by }) => [maker, shaped_by])).toEqual([
    ["acme", "m1"],
    ["acme", "m1"],
    ["acme", "m1"],
    ["bolts & co", null],
  ]);
  await expect(openCatalogue(location, { tables: [earlier] })).rejects.toThrow(StoreSchemaError);
});

it("stores an added column as a new table would", async () => {
  const location = await madeEarlier();
  await openCatalogue(location, { tables: [later] });
  const fresh = temporaryLocation();
  await openCatalogue(fresh, { tables: [later] });

  const fieldsOf = async (at: string) => {
    const { fields } = await (await openLanceTable(at, "parts")).schema();
    return fields
      .map(({ name, type, nullable, metadata }) => [name, String(type), nullable, metadata])
      .filter(([name]) => name !== "maker")
      .sort();
  };
  expect(await fieldsOf(location)).toEqual(await fieldsOf(fresh));
});

it("upgrades a table once when many do so at the same time", async () => {
  const location = await madeEarlier();
  const handles = await Promise.all(
    Array.from({ length: 6 }, () => openLanceTable(location, "parts")),
  );

  await Promise.all(handles.map((handle) => upgrade(later, handle, location)));

  const schema = await (await openLanceTable(location, "parts")).schema();
  expect(fromSchema(schema, later)).toMatchObject({ schemaVersion: 2 });
  const added = schema.fields.filter(({ name }) => name === "shaped_by" || name === "shape");
  expect(added).toHaveLength(2);
});
