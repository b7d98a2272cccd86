import { expect, it } from "vitest";
import type { TableDeclaration } from "../declaration.ts";
import { columnsWithNulls, nullsUntilMetadata, nullsUntilOf } from "../engine/schema.ts";
import { fragmentsOf } from "../read/fragments.ts";
import type { Table } from "../table.ts";
import {
  onFolders,
  openCatalogue,
  openLanceTable,
  temporaryFolder,
  temporaryLocation,
} from "../testing/store.ts";
import { portionsOf } from "./portions.ts";
import { type RewriteProgress, replaceNulls } from "./replace-nulls.ts";

/** Notes, with a column that is sparse since version 2. */
const notes: TableDeclaration = {
  ...{ name: "notes", schemaVersion: 2, primaryKey: ["book", "id"] },
  columns: {
    book: { type: "text" },
    id: { type: "text" },
    said: { type: "text", isNullable: true, isSparse: true },
  },
  indexes: [{ column: "book", kind: "btree" }],
};

const earlier: TableDeclaration = {
  ...notes,
  schemaVersion: 1,
  columns: { ...notes.columns, said: { type: "text", isNullable: true } },
};

async function openNotes(location: string, declaration: TableDeclaration): Promise<Table> {
  return (await openCatalogue(location, { tables: [declaration] })).table("notes");
}

/** Rows of which one has a text, and the others none. */
async function insertNotes(table: Table, book: string, count: number, said: string): Promise<void> {
  const rows = Array.from({ length: count }, (_row, at) => at);
  await table.insert({
    // More than one book, so that there is somewhere to stop.
    book: rows.map((at) => `${book}${Math.floor(at / 100)}`),
    id: rows.map((at) => `${book}${at}`),
    said: rows.map((at) => (at === 50 ? said : null)),
  });
}

/** All rows, in order: to sort them would read what is not stored anew yet a few at a time. */
async function rowsOf(table: Table): Promise<string[]> {
  const rows = await table.rows({ columns: ["book", "id", "said"] });
  return rows.map((row) => JSON.stringify(row)).sort();
}

it("a fold goes on after the rows that an aborted fold rewrote", async () => {
  const location = temporaryLocation();
  await insertNotes(await openNotes(location, earlier), "a", 5_000, "heron");
  const table = await openNotes(location, notes);
  const before = await rowsOf(table);
  const controller = new AbortController();
  const { signal } = controller;
  const told: RewriteProgress[] = [];
  const stopBehindFirst = (progress: RewriteProgress): void => {
    told.push(progress);
    if (progress.rows > 0) controller.abort();
  };

  await expect(table.fold({ signal, onRewrite: stopBehindFirst })).rejects.toThrow(/abort/);

  expect(told).toEqual([
    { rows: 0, total: 5_000 },
    { rows: 4_100, total: 5_000 },
  ]);
  expect(await rowsOf(table)).toEqual(before);
  // Whatever comes in meanwhile is stored as it should be.
  await insertNotes(table, "b", 100, "reeds");
  const then = await rowsOf(table);
  told.length = 0;
  const again = await openNotes(location, notes);

  await again.fold({ onRewrite: (progress) => told.push(progress) });

  expect(told.at(0)).toEqual({ rows: 0, total: 900 });
  expect(told.at(-1)).toEqual({ rows: 900, total: 900 });
  expect(await rowsOf(again)).toEqual(then);
  const handle = await openLanceTable(location, "notes");
  expect(await handle.countRows("said IS NULL")).toBe(0);
  expect(nullsUntilOf(await handle.schema(), notes)).toBe(undefined);
  told.length = 0;
  await again.fold({ onRewrite: (progress) => told.push(progress) });
  expect(told).toEqual([]);
});

it("a fold can be aborted during an engine call, and the next one finds all rows", async () => {
  const location = temporaryLocation();
  await insertNotes(await openNotes(location, earlier), "a", 5_000, "heron");
  const table = await openNotes(location, notes);
  const before = await rowsOf(table);
  const controller = new AbortController();
  const onRewrite = (): void => void setTimeout(() => controller.abort(), 5);

  await expect(table.fold({ signal: controller.signal, onRewrite })).rejects.toThrow(/abort/);

  expect(await rowsOf(table)).toEqual(before);
  const again = await openNotes(location, notes);
  await again.fold();
  expect(await rowsOf(again)).toEqual(before);
  const handle = await openLanceTable(location, "notes");
  expect(await handle.countRows("said IS NULL")).toBe(0);
});

it("reads fewer rows at once only from fragments where a large value stands among many nulls", async () => {
  const location = temporaryLocation();
  const table = await openNotes(location, earlier);
  await insertNotes(table, "a", 200, "heron");
  await insertNotes(table, "b", 200, "reeds ".repeat(1_500_000));
  await insertNotes(table, "c", 200, "reeds ".repeat(400_000));
  await insertNotes(table, "d", 200, "heron");
  const handle = await openLanceTable(location, "notes");
  const lastFragment = Math.max(...(await fragmentsOf(notes, handle)).keys());

  const portions = await portionsOf({ table: notes, handle, columns: ["said"], lastFragment });

  expect(portions).toEqual([
    { where: "`book` IN ('a0', 'a1', 'd0', 'd1')", rows: 400, rowsAtOnce: 16 },
    { where: "`book` IN ('c0', 'c1')", rows: 200, rowsAtOnce: 4 },
    { where: "`book` IN ('b0', 'b1')", rows: 200, rowsAtOnce: 1 },
  ]);
});

it("a fold joins the fragments that it rewrote in many portions", async () => {
  const location = temporaryLocation();
  await insertNotes(await openNotes(location, earlier), "a", 40_000, "heron");
  const table = await openNotes(location, notes);
  let commits = 0;

  const onRewrite = ({ rows }: RewriteProgress): void => {
    if (rows > 0) commits += 1;
  };

  await table.fold({ onRewrite });

  expect(commits).toBeGreaterThan(8);
  expect((await table.health()).fragments).toBe(1);
  expect(await table.count()).toBe(40_000);
});

onFolders("it measures files")(
  "does not clean up a table whose rows are only half rewritten",
  async () => {
    const folder = temporaryFolder();
    const stored = await openNotes(folder, earlier);
    const said = Array.from({ length: 150_000 }, (_, at) => Math.sin(at).toString(36)).join(" ");
    for (const book of ["a", "b"]) await insertNotes(stored, book, 60, said);
    await stored.fold({ isForced: true });
    const table = await openNotes(folder, notes);
    const handle = await openLanceTable(folder, "notes");
    await handle.updateFieldMetadata(nullsUntilMetadata(notes, 9));

    const isHalf = await table.clean({ retentionMs: 0 });
    await table.fold();

    expect(isHalf).toBe(false);
    // Said by one that came late to what others had ended, and was killed.
    await handle.checkoutLatest();
    await handle.updateFieldMetadata(nullsUntilMetadata(notes, 9));
    expect(await table.clean({ retentionMs: 0 })).toBe(true);
  },
);

it("keeps the rows that another process inserts during a rewrite, each once", async () => {
  const location = temporaryLocation();
  await insertNotes(await openNotes(location, earlier), "a", 5_000, "heron");
  const table = await openNotes(location, notes);
  const before = await rowsOf(table);
  const other = await openNotes(location, notes);
  let inserted: Promise<void> | undefined;

  await table.fold({
    onRewrite: () => {
      inserted ??= insertNotes(other, "b", 200, "reeds");
    },
  });

  await inserted;
  await table.refresh();
  const after = await rowsOf(table);
  expect(after).toHaveLength(5_200);
  expect(new Set(after).size).toBe(5_200);
  expect(after.filter((row) => row.startsWith('{"book":"a'))).toEqual(before);
});

it("rewrites rows that another process writes to during a rewrite, and keeps what it wrote", async () => {
  const location = temporaryLocation();
  const seen = { type: "text", isNullable: true, isDerived: true } as const;
  // With every key indexed, the other sets its column without moving rows.
  const withSeen = (table: TableDeclaration): TableDeclaration => {
    const indexes = [...table.indexes, { column: "id", kind: "btree" } as const];
    return { ...table, indexes, columns: { ...table.columns, seen } };
  };
  await insertNotes(await openNotes(location, withSeen(earlier)), "a", 5_000, "heron");
  const other = await openNotes(location, withSeen(notes));
  const before = await rowsOf(other);
  const handle = await openLanceTable(location, "notes");
  const update = handle.update.bind(handle);
  let writes = 0;
  handle.update = (async (options: Parameters<typeof update>[0]) => {
    writes += 1;
    // Of the first portion, before it is rewritten, and of the last.
    const ids = { book: ["a0", "a0", "a49"], id: ["a49", "a50", "a4949"] };
    if (writes === 1) await other.update({ ...ids, seen: ["one", "two", "three"] });
    return update(options);
  }) as typeof update;

  await replaceNulls(withSeen(notes), handle, location);

  await other.refresh();
  expect(await rowsOf(other)).toEqual(before);
  const written = await other.rows({
    columns: ["id", "said", "seen"],
    where: { op: "not-null", column: "seen" },
    orderBy: [{ column: "id" }],
  });
  expect(written).toEqual([
    { id: "a49", said: null, seen: "one" },
    { id: "a4949", said: null, seen: "three" },
    { id: "a50", said: "heron", seen: "two" },
  ]);
  await handle.checkoutLatest();
  expect(await handle.countRows("said IS NULL")).toBe(0);
  expect(columnsWithNulls(await handle.schema(), notes)).toEqual([]);
});

it("marks a doubted column as one that may hold nulls until its rewrite is done", async () => {
  const location = temporaryLocation();
  const stillOpen = await openNotes(location, earlier);
  await (await openNotes(location, notes)).fold();
  await insertNotes(stillOpen, "a", 5_000, "heron");
  const handle = await openLanceTable(location, "notes");
  const controller = new AbortController();
  const { signal } = controller;
  const onRewrite = ({ rows }: RewriteProgress): void => {
    if (rows > 0) controller.abort();
  };
  const doubted = { isDoubted: true, signal, onRewrite };

  await expect(replaceNulls(notes, handle, location, doubted)).rejects.toThrow(/abort/);

  expect(columnsWithNulls(await handle.schema(), notes)).toEqual(["said"]);
  expect(await handle.countRows("said IS NULL")).toBeGreaterThan(0);
  await (await openNotes(location, notes)).fold();
  await handle.checkoutLatest();
  expect(columnsWithNulls(await handle.schema(), notes)).toEqual([]);
  expect(await handle.countRows("said IS NULL")).toBe(0);
});

it("rewrites all rows when another column became sparse after the rewrite was stopped", async () => {
  const location = temporaryLocation();
  const { book, id, said } = notes.columns;
  const told = { type: "text", isNullable: true } as const;
  const first = { ...earlier, columns: { told, ...earlier.columns } };
  const second = { ...notes, columns: { told, ...notes.columns } };
  const sparse = { ...told, isSparse: true };
  const third = { ...notes, schemaVersion: 3, columns: { book, id, said, told: sparse } };
  await insertNotes(await openNotes(location, first), "a", 5_000, "heron");
  const controller = new AbortController();
  const onRewrite = ({ rows }: RewriteProgress): void => {
    if (rows > 0) controller.abort();
  };
  const stopped = (await openNotes(location, second)).fold({
    signal: controller.signal,
    onRewrite,
  });
  await expect(stopped).rejects.toThrow(/abort/);

  await (await openNotes(location, third as TableDeclaration)).fold();

  const handle = await openLanceTable(location, "notes");
  expect(await handle.countRows("said IS NULL")).toBe(0);
  expect(await handle.countRows("told IS NULL")).toBe(0);
});

it("reports all rows as done though another process rewrote some of them first", async () => {
  const location = temporaryLocation();
  const derived = { isDerived: true } as const;
  const stored = await openNotes(location, { ...earlier, ...derived });
  await insertNotes(stored, "a", 300, "heron");
  const table = { ...notes, ...derived };
  const other = await openNotes(location, table);
  const handle = await openLanceTable(location, "notes");
  const told: RewriteProgress[] = [];
  // Two look what there is, the third how it lies.
  const query = handle.query.bind(handle);
  let looks = 0;
  const late = async function* (columns: string[]) {
    await other.replace({ book: ["a0", "a1"], id: ["a1", "a101"], said: [null, "reeds"] });
    await handle.checkoutLatest();
    yield* query().select(columns);
  };
  handle.query = (() => {
    looks += 1;
    return looks === 3 ? { select: late } : query();
  }) as typeof query;

  await replaceNulls(table, handle, location, { onRewrite: (progress) => told.push(progress) });

  expect(told).toEqual([0, 2, 300].map((rows) => ({ rows, total: 300 })));
});
