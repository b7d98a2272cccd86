import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { copyStore } from "../copy.ts";
import type { Row, TableDeclaration } from "../declaration.ts";
import { fold } from "../indexes/fold.ts";
import { healTable } from "../integrity/heal.ts";
import { verifyStore } from "../integrity/verify.ts";
import type { Table } from "../table.ts";
import {
  isOnFolders,
  onFolders,
  openCatalogue,
  openLanceTable,
  storageOptions,
  temporaryFolder,
  temporaryLocation,
} from "../testing/store.ts";
import { contains, eq, isNotNull, isNull, oneOf } from "./filter.ts";
import { rowId } from "./system-columns.ts";

/** Files, with a column that is sparse since version 2. */
const files: TableDeclaration = {
  ...{ name: "files", schemaVersion: 2, primaryKey: ["id"] },
  columns: {
    id: { type: "text" },
    kind: { type: "text" },
    said: { type: "text", isNullable: true, isSparse: true },
    data: { type: "bytes", isNullable: true, isSparse: true },
    vector: { type: { vector: 8 }, isNullable: true, isDerived: true },
  },
  indexes: [
    { column: "id", kind: "btree" },
    { column: "kind", kind: "bitmap" },
    { column: "said", kind: "full-text", hasPositions: true },
  ],
};

const earlier: TableDeclaration = {
  ...files,
  schemaVersion: 1,
  columns: {
    ...files.columns,
    said: { type: "text", isNullable: true },
    data: { type: "bytes", isNullable: true },
  },
  // So one of words is missing where it is opened since.
  indexes: [],
};

async function openFiles(location: string, declaration: TableDeclaration): Promise<Table> {
  return (await openCatalogue(location, { tables: [declaration] })).table("files");
}

/** Rows as an earlier version stored them, of which one has a value and the others null. */
async function storeEarlier(location: string, count: number, value: Row): Promise<Row[]> {
  const rows = Array.from({ length: count }, (_row, at): Row => {
    const vector = Float32Array.from({ length: 8 }, (_number, index) => at + index);
    const id = `f${String(at).padStart(4, "0")}`;
    const nulls = { said: null, data: null };
    return { id, kind: at % 2 ? "odd" : "even", ...nulls, ...(at === 250 && value), vector };
  });
  const table = await openFiles(location, earlier);
  const names = Object.keys(earlier.columns);
  const columns = names.map((name) => [name, rows.map((row) => row[name] ?? null)]);
  await table.insert(Object.fromEntries(columns));
  return rows;
}

/** How many bytes the engine makes of a column for whoever reads all of it, and how many nulls. */
async function rawBytes(location: string, column: string): Promise<[number, number]> {
  const handle = await openLanceTable(location, "files");
  let bytes = 0;
  let nulls = 0;
  for await (const batch of handle.query().select([column])) {
    const vector = batch.getChildAt(0);
    bytes += vector?.data[0]?.values.length ?? 0;
    nulls += vector?.nullCount ?? 0;
  }
  handle.close();
  return [bytes, nulls];
}

/** Bytes as text: of arrays that differ a whole page would be shown. */
function legible({ data, ...row }: Row): Row {
  return { ...row, data: data instanceof Uint8Array ? Buffer.from(data).toString("latin1") : null };
}

const columns = Object.keys(files.columns);
const inOrder = { columns, orderBy: [{ column: "id" }] };

it.each<["said" | "data", string | Buffer]>([
  ["said", "heron ".repeat(4_000)],
  ["data", Buffer.alloc(24_000, "pond")],
])(
  "folds %s, which an earlier version did not store as sparse, so that one value is read once",
  async (column, value) => {
    const location = temporaryLocation();
    const rows = await storeEarlier(location, 500, { [column]: value });
    await (await openFiles(location, earlier)).fold({ isForced: true });
    const table = await openFiles(location, files);
    await table.insert({ id: ["since"], kind: ["odd"], said: ["\ufffe\uffff"] });
    const before = await rawBytes(location, column);
    expect(before[0]).toBeGreaterThan(100 * value.length);

    await table.fold();

    const [bytes, nulls] = await rawBytes(location, column);
    expect(bytes).toBeLessThan(2 * value.length);
    expect(nulls).toBe(0);
    const found = await table.rows(inOrder);
    expect(found.slice(0, 500).map(legible)).toEqual(rows.map(legible));
    expect(found.at(500)).toMatchObject({ id: "since", said: "\ufffe\uffff", data: null });
    const version = await table.version();
    await table.fold();
    expect(await table.version()).toBe(version);
  },
);

it.each([
  ["this version made", files],
  ["an earlier version made and left empty", earlier],
])("a fold rewrites nothing in a table that %s", async (_, first) => {
  const location = temporaryLocation();
  await openFiles(location, first);
  const table = await openFiles(location, files);
  if (first === earlier) await table.fold();
  await table.insert({ id: ["a"], kind: ["odd"] });
  const fragments = await table.fragments();

  await table.fold();

  expect(await table.fragments()).toEqual(fragments);
});

it("leaves the rows of an earlier version to a later fold when other writers always win", async () => {
  const location = temporaryLocation();
  const rows = await storeEarlier(location, 500, { said: "heron" });
  const table = await openFiles(location, files);
  const handle = await openLanceTable(location, "files");
  let lost = 0;
  handle.update = async () => {
    lost += 1;
    throw new Error("Retryable commit conflict for version 3: preempted by concurrent transaction");
  };
  const before = await table.version();

  const place = { location, home: undefined, proveWritable: async () => undefined };
  const outcome = await fold(files, handle, place, async () => undefined);

  expect(outcome).toEqual({ table: "files", created: [], isFolded: false });
  // Each attempt leaves all rows lying there once more.
  expect(lost).toBe(2);
  expect(await table.version()).toBe(before);
  await table.fold();
  expect(await rawBytes(location, "said")).toEqual([expect.any(Number), 0]);
  expect((await table.rows(inOrder)).map(legible)).toEqual(rows.map(legible));
});

// Read at once, a thousand of them were more text than the engine has room for.
const longText = `heron ${"reeds ".repeat(360_000)}`;

const onOne = isOnFolders ? it : onFolders("it would move gigabytes more");

onOne("reads one long text among a thousand nulls, before and after a fold", async () => {
  const location = temporaryLocation();
  const rows = await storeEarlier(location, 1_100, { said: longText });
  const store = await openCatalogue(location, { tables: [files] });
  const table = store.table("files");
  const lone = rows.filter(({ said }) => said !== null);
  const bare = { columns: ["id"] };
  const ids = (await table.rows({ columns: [rowId] })).map((row) => row[rowId] as bigint);

  expect(await table.rows({ columns })).toEqual(rows);
  expect(await table.rows(inOrder)).toEqual(rows);
  expect(await table.rows({ columns, where: oneOf(rowId, ids) })).toEqual(rows);
  expect(await table.rows({ columns, where: eq("kind", "even") })).toHaveLength(550);
  expect(await table.rows({ ...bare, where: contains("said", "heron") })).toHaveLength(1);
  expect(await table.count(isNotNull("said"))).toBe(1);
  expect(await table.count(isNull("said"))).toBe(1_099);
  const search = { column: "said", query: { terms: "heron" }, limit: 5 };
  expect(await table.fullText({ ...search, columns })).toMatchObject(lone);
  expect(await table.explain({ ...search, columns })).not.toContain("metrics=");
  const near = { column: "vector", vector: new Float32Array(8).fill(1), limit: 20 };
  expect(await table.nearest({ ...near, columns })).toHaveLength(20);
  expect(await verifyStore(location, { tables: [files], storageOptions })).toMatchObject([
    { readableRows: 1_100, damages: [] },
  ]);
  const copy = await openCatalogue(temporaryLocation(), { tables: [files] });
  expect(await copyStore(store, copy, ["files"])).toEqual({ files: 1_100 });
  expect(await copy.table("files").count(isNotNull("said"))).toBe(1);

  await table.fold({ isForced: true });

  expect(await table.rows(inOrder)).toEqual(rows);
  expect(await table.fullText({ ...search, columns })).toMatchObject(lone);
});

onOne("folds rows that a still open earlier version inserted after a fold", async () => {
  const location = temporaryLocation();
  const stillOpen = await openFiles(location, earlier);
  const table = await openFiles(location, files);
  await table.fold();
  const ids = Array.from({ length: 1_100 }, (_id, at) => `f${at}`);
  await stillOpen.insert({
    id: ids,
    kind: ids,
    said: ids.map((id) => (id === "f250" ? longText : null)),
  });

  await table.fold();

  expect(await table.count(isNull("said"))).toBe(1_099);
  const search = { column: "said", query: { terms: "heron" }, limit: 5 };
  expect(await table.fullText({ ...search, columns })).toMatchObject([
    { id: "f250", said: longText },
  ]);
});

onOne("goes back before a torn commit and keeps all rows of an earlier version", async () => {
  const folder = temporaryFolder();
  const rows = await storeEarlier(folder, 1_100, { said: longText });
  const data = join(folder, "files.lance", "data");
  const whole = readdirSync(data);
  const table = await openFiles(folder, files);
  await table.insert({ id: ["torn"], kind: ["odd"] });
  for (const name of readdirSync(data)) if (!whole.includes(name)) rmSync(join(data, name));
  const handle = await openLanceTable(folder, "files");

  const openTable = async (): Promise<typeof handle> => handle;
  const healings = await healTable(folder, files, { openTable, bootedAtMs: Date.now() + 1_000 });

  expect(healings).toHaveLength(1);
  expect(await (await openFiles(folder, files)).count()).toBe(rows.length);
});
