import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Table as LanceTable } from "@lancedb/lancedb";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import type { TableDeclaration } from "../declaration.ts";
import { loadLance } from "../engine/lance.ts";
import { eq } from "../read/filter.ts";
import { openStore } from "../store.ts";
import type { Table } from "../table.ts";
import { onFolders, temporaryFolder } from "../testing/store.ts";
import { type Healing, healTable, manifestsOf } from "./heal.ts";
import { namedFiles } from "./manifest-files.ts";

const it = onFolders("a power cut tears files, and no objects");

/** An index of each kind: of vectors there are two, as their length decides. */
const bolts: TableDeclaration = {
  name: "bolts",
  schemaVersion: 1,
  primaryKey: ["id"],
  columns: {
    id: { type: "text" },
    kind: { type: "text" },
    text: { type: "text" },
    eight: { type: { vector: 8 } },
    four: { type: { vector: 4 } },
  },
  indexes: [
    { column: "id", kind: "btree" },
    { column: "kind", kind: "bitmap" },
    { column: "text", kind: "full-text", hasPositions: true },
    { column: "eight", kind: "vector", distance: "cosine", minRows: 2 },
    { column: "four", kind: "vector", distance: "cosine", minRows: 2 },
  ],
};
const columns = bolts.indexes.map(({ column }) => column).sort();

async function openBolts(folder: string): Promise<Table> {
  const store = await openStore(folder, { tables: [bolts], mode: "write" });
  onTestFinished(() => store.close());
  return store.table("bolts");
}

/** A store whose indexes were made of 30 rows and brought up to date with as many. */
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "substrate-"));
  const store = await openStore(folder, { tables: [bolts], mode: "write" });
  for (const from of [0, 30]) {
    const numbers = Array.from({ length: 30 }, (_, at) => from + at);
    const vectors = (length: number): Float32Array[] =>
      numbers.map((each) => Float32Array.from({ length }, (_, at) => Math.sin(each * (at + 1))));
    await store.table("bolts").insert({
      id: numbers.map((number) => `n${number}`),
      kind: numbers.map((number) => (number % 2 === 0 ? "even" : "odd")),
      text: numbers.map((number) => `hex bolt number ${number}`),
      eight: vectors(8),
      four: vectors(4),
    });
    await store.table("bolts").fold({ isForced: true });
  }
  store.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The files of each index that the newest version names, below its folder, by column. */
async function filesByColumn(copy: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const home = join(copy, "bolts.lance");
  const [newest = ""] = await manifestsOf(home);
  const files = new Map<string, string[]>();
  for (const { name, files: own } of (await namedFiles(home, newest)).indexes) {
    const column = name.replace(/_idx$/, "");
    const paths = own.map(({ path }) => path.slice(copy.length));
    files.set(column, [...(files.get(column) ?? []), ...paths]);
  }
  return files;
}

function copied(): string {
  const copy = temporaryFolder();
  cpSync(folder, copy, { recursive: true, preserveTimestamps: true });
  return copy;
}

/** Heals as if the system had started right after everything was written. */
async function healedAfterReboot(
  copy: string,
  open?: () => Promise<LanceTable>,
): Promise<Healing[]> {
  const connection = await loadLance().connect(copy);
  const openTable = open ?? (() => connection.openTable("bolts"));
  try {
    return await healTable(copy, bolts, { openTable, bootedAtMs: Date.now() + 1_000 });
  } finally {
    connection.close();
  }
}

async function indexedColumns(table: Table): Promise<string[]> {
  return (await table.health()).indexes.map(({ column }) => column).sort();
}

it("names existing files for each kind of index", async () => {
  const named = [...(await filesByColumn(folder))];
  const below = join(folder, "bolts.lance", "_indices");
  const there = readdirSync(below, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length));

  expect(named.map(([column]) => column).sort()).toEqual(columns);
  // What a fold has replaced is there a while longer.
  expect(there).toEqual(expect.arrayContaining(named.flatMap(([, files]) => files)));
});

const losses: Readonly<Record<string, (path: string) => void>> = {
  "is gone": (path) => rmSync(path),
  "is empty": (path) => truncateSync(path, 0),
  "is cut short": (path) => truncateSync(path, readFileSync(path).length - 7),
  "is all zeros": (path) => writeFileSync(path, Buffer.alloc(readFileSync(path).length)),
};

it.each(columns)(
  "drops only the index of %s, however any of its files is damaged",
  async (column) => {
    const copy = copied();
    for (const file of (await filesByColumn(copy)).get(column) ?? []) {
      const path = join(copy, file);
      const bytes = readFileSync(path);
      for (const [how, lose] of Object.entries(losses)) {
        lose(path);
        const dropped: string[] = [];
        const handle = { dropIndex: async (name: string) => void dropped.push(name), close() {} };

        const healings = await healedAfterReboot(copy, async () => handle as unknown as LanceTable);

        expect([file, how, healings, dropped]).toEqual([file, how, [], [`${column}_idx`]]);
        writeFileSync(path, bytes);
      }
    }
  },
);

it("keeps every row when all indexes are lost; opening makes the text index again, a fold the others", async () => {
  const copy = copied();
  for (const [file = ""] of (await filesByColumn(copy)).values()) rmSync(join(copy, file));

  const healings = await healedAfterReboot(copy);

  const table = await openBolts(copy);
  expect([healings, await indexedColumns(table)]).toEqual([[], ["text"]]);
  expect(await table.count(eq("id", "n7"))).toBe(1);
  const others = columns.filter((column) => column !== "text");
  expect([...(await table.fold()).created].sort()).toEqual(others);
});

it("keeps every index of a whole store, whatever else lies beside the indexes", async () => {
  const copy = copied();
  const leftover = join(copy, "bolts.lance", "_indices", "01a68bc0-8000-496b-8a50-1d9db8b2fbba");
  mkdirSync(leftover);
  writeFileSync(join(leftover, "page_data.lance"), "");

  const healings = await healedAfterReboot(copy);

  expect([healings, await indexedColumns(await openBolts(copy))]).toEqual([[], columns]);
});

it("drops an index that lost a file, however long ago the file was written", async () => {
  const copy = copied();
  const [file = ""] = (await filesByColumn(folder)).get("id") ?? [];
  rmSync(join(copy, file));
  const [newest = ""] = await manifestsOf(join(copy, "bolts.lance"));
  const later = Date.now() / 1000 + 3600;
  utimesSync(newest, later, later);

  await healedAfterReboot(copy);

  const left = columns.filter((column) => column !== "id");
  expect(await indexedColumns(await openBolts(copy))).toEqual(left);
});

it.each(columns)(
  "makes the index of %s again after it lost its files in a running system",
  async (column) => {
    const copy = copied();
    const [newest = ""] = await manifestsOf(join(copy, "bolts.lance"));
    const later = Date.now() / 1000 + 1;
    utimesSync(newest, later, later);
    for (const file of (await filesByColumn(copy)).get(column) ?? []) rmSync(join(copy, file));

    const table = await openBolts(copy);

    expect((await table.fold()).created).toEqual(column === "text" ? [] : [column]);
    expect(await indexedColumns(table)).toEqual(columns);
  },
);
