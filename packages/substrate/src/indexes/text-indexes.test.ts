import { expect, it } from "vitest";
import type { TableDeclaration } from "../declaration.ts";
import type { StoreOptions } from "../store.ts";
import type { Table } from "../table.ts";
import { numbered, parts } from "../testing/catalogue.ts";
import { openCatalogue, openLanceTable, temporaryLocation } from "../testing/store.ts";

// The engine's own tokenizer leaves out the first, and makes one word of the second.
const texts = ["the bolts", "索引损坏", "rotate_pump"];
const expected = { the: ["n0"], 索引: ["n1"], bolt: [], rotate: ["n2"] };
const [maker, number] = [
  ["acme", "acme", "acme"],
  ["n0", "n1", "n2"],
];

const { shaped_by, ...kept } = parts.columns;
const plain: TableDeclaration = {
  ...parts,
  indexes: parts.indexes.filter(({ kind }) => kind !== "full-text"),
};
const withText = (column: string, hasPositions: boolean): TableDeclaration => ({
  ...plain,
  indexes: [...plain.indexes, { column, kind: "full-text", hasPositions }],
});
const earlier: TableDeclaration = {
  ...plain,
  columns: kept,
  indexes: plain.indexes.filter(({ column }) => column !== "shaped_by"),
};
const later: TableDeclaration = {
  ...earlier,
  schemaVersion: 2,
  columns: {
    ...kept,
    shaped_by: { type: "text", isNullable: true, isDerived: true, since: 2 },
  },
  indexes: [...earlier.indexes, { column: "shaped_by", kind: "full-text", hasPositions: false }],
};

async function opened(
  location: string,
  table: TableDeclaration,
  options: Partial<StoreOptions> = {},
): Promise<Table> {
  return (await openCatalogue(location, { tables: [table], ...options })).table("parts");
}

/** Parts in which each word is found. */
async function found(table: Table, column: string): Promise<Record<string, unknown>> {
  const search = { column, columns: ["number"], limit: 10 };
  const rows = Object.keys(expected).map(async (terms) => {
    const hits = await table.fullText({ ...search, query: { terms } });
    return [terms, hits.map(({ number }) => number).sort()] as const;
  });
  return Object.fromEntries(await Promise.all(rows));
}

async function dropTextIndex(location: string): Promise<void> {
  await (await openLanceTable(location, "parts")).dropIndex("description_idx");
}

it("finds words by the store's own tokenizer right after a renewal", async () => {
  const table = await opened(temporaryLocation(), withText("shaped_by", true));
  await table.insert({ maker, number, shaped_by: texts });
  await table.fold({ isForced: true });

  await table.renew({ shaped_by: "text" });
  await table.update({ maker, number, shaped_by: texts });

  expect(await found(table, "shaped_by")).toEqual(expected);
});

it("finds words by the store's own tokenizer in a column that was added later", async () => {
  const location = temporaryLocation();
  await (await opened(location, earlier)).insert({ maker, number });

  const table = await opened(location, later);
  await table.update({ maker, number, shaped_by: texts });

  expect(await found(table, "shaped_by")).toEqual(expected);
});

it.each([
  ["whose index was declared later", plain],
  ["that lost its index", withText("description", true)],
])("finds words by the store's own tokenizer in a column %s", async (_, before) => {
  const location = temporaryLocation();
  await (await opened(location, before)).insert({ maker, number, description: texts });
  if (before !== plain) await dropTextIndex(location);

  const table = await opened(location, withText("description", true));

  expect(await found(table, "description")).toEqual(expected);
});

it("finds phrases once the index is declared to keep positions", async () => {
  const location = temporaryLocation();
  const before = await opened(location, withText("description", false));
  await before.insert({ maker, number, description: texts });
  await before.fold({ isForced: true });

  const table = await opened(location, withText("description", true));

  const query = { phrase: "the bolts" };
  const search = { column: "description", query, columns: ["number"], limit: 5 };
  expect(await table.fullText(search)).toMatchObject([{ number: "n0" }]);
});

it("reports a missing index that takes long to make, and a forced fold makes it", async () => {
  const location = temporaryLocation();
  const before = await opened(location, withText("description", false));
  await before.insert(numbered(11_000));
  await before.fold();
  const missing: unknown[] = [];
  const onMissingIndex: StoreOptions["onMissingIndex"] = (index) => missing.push(index);

  const table = await opened(location, withText("description", true), { onMissingIndex });
  const { created } = await table.fold({ isForced: true });
  await opened(location, withText("description", true), { onMissingIndex });

  expect([missing, created]).toEqual([
    [{ table: "parts", column: "description" }],
    ["description"],
  ]);
  const query = { phrase: "number 10999" };
  const search = { column: "description", query, columns: ["number"], limit: 5 };
  expect(await table.fullText(search)).toMatchObject([{ number: "n10999" }]);
});

it("reports a missing index when opened to read, and makes none", async () => {
  const location = temporaryLocation();
  const declared = withText("description", true);
  await (await opened(location, declared)).insert({ maker, number, description: texts });
  await dropTextIndex(location);
  const missing: unknown[] = [];

  await opened(location, declared, {
    mode: "read",
    onMissingIndex: (index) => missing.push(index),
  });

  expect(missing).toEqual([{ table: "parts", column: "description" }]);
  const table = await opened(location, declared, { mode: "read" });
  expect((await table.health()).indexes.map(({ column }) => column)).toEqual([]);
  expect(await table.knowsPhrases("description")).toBe(false);
});

it.each([
  ["description", true, true],
  ["description", false, false],
  ["number", true, false],
])("knowsPhrases(%s) with hasPositions %s returns %s", async (column, has, knows) => {
  const table = await opened(temporaryLocation(), withText("description", has));

  expect(await table.knowsPhrases(column)).toBe(knows);
});

it("reports no missing index on a column that the store does not have yet", async () => {
  const location = temporaryLocation();
  await (await opened(location, earlier)).insert({ maker, number });
  const missing: unknown[] = [];

  await opened(location, later, { mode: "read", onMissingIndex: (index) => missing.push(index) });

  expect(missing).toEqual([]);
});

it("refuses to drop a text index", async () => {
  const table = await opened(temporaryLocation(), withText("description", true));

  await expect(table.dropIndex("description")).rejects.toThrow(TypeError);
});
