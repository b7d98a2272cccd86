import { hash } from "node:crypto";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { Row, TableDeclaration } from "../declaration.ts";
import { StorageUnavailableError } from "../errors.ts";
import { openStore } from "../store.ts";
import type { Table } from "../table.ts";
import { batchOf } from "../testing/catalogue.ts";
import { onFolders, openCatalogue } from "../testing/store.ts";

const pages: TableDeclaration = {
  ...{ name: "pages", schemaVersion: 1, primaryKey: ["id"], indexes: [] },
  columns: {
    id: { type: "text" },
    kind: { type: "text" },
    data: { type: "bytes", isNullable: true, isSparse: true },
  },
};
const columns = ["id", "kind", "data"];
const megabyte = 1_000_000;

function row(at: number, bytes: number): Row {
  const data = bytes === 0 ? null : new Uint8Array(bytes).fill(at);
  return { id: `p${at}`, kind: "x".repeat(at % 7), data };
}

function bytesOf(rows: readonly Row[]): number {
  return rows.reduce((sum, { data }) => sum + ((data as Uint8Array | null)?.length ?? 0), 0);
}

/** What tells rows apart: to compare long ones takes long. */
function told(rows: readonly Row[]): string[] {
  return rows.map(({ id, kind, data }) => {
    const bytes = data as Uint8Array | null;
    return `${id} ${kind} ${bytes?.length} ${bytes && hash("md5", bytes)}`;
  });
}

/** 64 rows of 1 MB among thousands of short ones, in one fragment. */
async function storeLong(): Promise<{ readonly table: Table; readonly rows: readonly Row[] }> {
  const table = (await openCatalogue(undefined, { tables: [pages] })).table("pages");
  const isLong = (at: number): boolean => at >= 2_100 && at < 2_164;
  const rows = Array.from({ length: 4_100 }, (_, at) => row(at, isLong(at) ? megabyte : at % 3));
  const starts = [0, 2_100, 2_116, 2_132, 2_148, 2_164];
  for (const [at, from] of starts.entries()) {
    await table.insert(batchOf(rows.slice(from, starts[at + 1])));
  }
  await table.fold({ isForced: true });
  return { table, rows };
}

const it = onFolders("files there do not say how many rows a page has");

it("reads a few long rows at a time, and many short ones", async () => {
  const { table, rows } = await storeLong();

  const batches = await Array.fromAsync(table.scan({ columns }));

  expect((await table.fragments()).size).toBe(1);
  expect(told(batches.flat())).toEqual(told(rows));
  expect(Math.max(...batches.map(bytesOf))).toBeLessThan(40 * megabyte);
  expect(batches.length).toBeLessThan(30);
});

it("reads long rows as they were when the scan began, whatever is stored and folded meanwhile", async () => {
  const { table, rows } = await storeLong();

  const read: Row[] = [];
  for await (const batch of table.scan({ columns })) {
    if (read.length === 0) {
      await table.insert(batchOf([row(9_000, 1), row(9_001, 1)]));
      await table.fold({ isForced: true });
    }
    read.push(...batch);
  }

  expect(told(read)).toEqual(told(rows));
  const later = await Array.fromAsync(table.scan({ columns }));
  expect(told(later.flat())).toEqual(told([...rows, row(9_000, 1), row(9_001, 1)]));
});

it("reads a column that is not stored yet as null, beside long rows too", async () => {
  const { table } = await storeLong();
  const later: TableDeclaration = {
    ...{ ...pages, schemaVersion: 2 },
    columns: {
      ...pages.columns,
      mark: { type: "text", isNullable: true, isDerived: true, since: 2 },
    },
  };
  const store = await openStore(dirname(table.uri), { tables: [later] });
  onTestFinished(() => store.close());

  const marks = new Set<unknown>();
  for await (const rows of store.table("pages").scan({ columns: ["data", "mark"] })) {
    for (const { mark } of rows) marks.add(mark);
  }

  expect([...marks]).toEqual([null]);
});

it("rejects with a StorageUnavailableError when a file cannot be read", async () => {
  const { table } = await storeLong();
  const data = join(table.uri, "data");
  for (const name of readdirSync(data)) {
    rmSync(join(data, name));
    mkdirSync(join(data, name));
  }

  const reading = Array.fromAsync(table.scan({ columns }));

  await expect(reading).rejects.toThrow(StorageUnavailableError);
});
