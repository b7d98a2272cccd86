import { statSync } from "node:fs";
import { join } from "node:path";
import type { Table as LanceTable } from "@lancedb/lancedb";
import { createCaches } from "./caches.ts";
import { Catalog } from "./catalog.ts";
import type { TableDeclaration } from "./declaration.ts";
import { StorageUnavailableError, StoreNotFoundError } from "./errors.ts";
import { fragmentsOf, rowId } from "./fragments.ts";
import { isWhole, manifestsOf } from "./heal.ts";
import { type DataFile, dataFilesOf } from "./manifest-files.ts";
import { toTyped } from "./native-errors.ts";
import { rowsOf } from "./read.ts";
import { isMissing, locate } from "./storage.ts";
import type { StoreOptions } from "./store.ts";

/** Something stored that cannot be read. */
export type Damage = {
  /** Files of which at least one is damaged; none where the store is no folder. */
  readonly files: readonly string[];
  readonly reason: string;
  /** How many rows are lost with it; undefined where nobody can say. */
  readonly rows?: number;
};

/** What of one table can be read. */
export type TableVerdict = {
  readonly name: string;
  /** Rows that were read, whole. */
  readonly readableRows: number;
  readonly damages: readonly Damage[];
};

/** Which store is read, and what stops the reading. */
export type VerifyOptions = Pick<StoreOptions, "tables" | "storageOptions"> & {
  readonly signal?: AbortSignal | undefined;
};

/**
 * Reads every row of every table, and says what cannot be read. Changes nothing, heals nothing, and
 * goes on behind what is damaged: one table does not hide another, nor one fragment the next. The
 * engine keeps no checksums, so bytes that changed into others that can be read are not found.
 *
 * @throws {StoreNotFoundError} where there is no store.
 */
export async function verifyStore(
  location: string,
  { tables, storageOptions, signal }: VerifyOptions,
): Promise<TableVerdict[]> {
  const place = locate(location);
  if (isMissing(place)) throw new StoreNotFoundError(place.uri);
  const options = { storageOptions, caches: createCaches(), stalenessMs: 0 };
  const catalog = await Catalog.connect(place, options);
  try {
    const datasets = await catalog.look(tables);
    if (datasets.size === 0) throw new StoreNotFoundError(place.uri);
    const verdicts: TableVerdict[] = [];
    for (const table of tables) {
      const dataset = datasets.get(table.name);
      if (dataset === undefined) {
        verdicts.push(unreadable(table, "it is not there"));
        continue;
      }
      const home = place.folder && join(place.folder, `${dataset}.lance`);
      verdicts.push(await verifyTable(catalog, table, home, signal));
    }
    return verdicts;
  } finally {
    catalog.close();
  }
}

async function verifyTable(
  catalog: Catalog,
  table: TableDeclaration,
  home: string | undefined,
  signal: AbortSignal | undefined,
): Promise<TableVerdict> {
  const [manifest] = home === undefined ? [] : await manifestsOf(home);
  const named = manifest === undefined ? [] : [manifest];
  // Of zeros the engine makes an empty table.
  if (manifest && !(await isWhole(manifest))) return unreadable(table, "it is torn", named);
  let handle: LanceTable;
  try {
    ({ handle } = await catalog.open(table));
  } catch (error) {
    return unreadable(table, reasonOf(table, error), named);
  }
  try {
    const files = manifest && home ? await filesOf(home, manifest) : new Map();
    return await verifyFragments(table, handle, files, signal);
  } catch (error) {
    signal?.throwIfAborted();
    return unreadable(table, reasonOf(table, error), named);
  } finally {
    handle.close();
  }
}

async function verifyFragments(
  table: TableDeclaration,
  handle: LanceTable,
  files: ReadonlyMap<number, readonly DataFile[]>,
  signal: AbortSignal | undefined,
): Promise<TableVerdict> {
  const damages: Damage[] = [];
  let readableRows = 0;
  let first = 0;
  const columns = Object.keys(table.columns);
  for (const [fragment, rows] of await fragmentsOf(handle)) {
    signal?.throwIfAborted();
    const own = files.get(fragment) ?? [];
    const broken = own.flatMap((file) => {
      const reason = brokenBy(file);
      return reason === undefined ? [] : [{ file, reason }];
    });
    try {
      const read = await readRange(handle, columns, first, rows).catch((error: unknown) => {
        if (broken.length > 0) throw error;
        // It may have stumbled over the file of another fragment.
        return readById(handle, columns, first, rows);
      });
      readableRows += read;
      if (read < rows) throw new RangeError(`${rows - read} rows are missing`);
      // The engine did not need all of a file that is not as it was written.
      for (const { file, reason } of broken) damages.push({ files: [file.path], reason, rows: 0 });
    } catch (error) {
      const suspects = broken.length > 0 ? broken.map(({ file }) => file) : own;
      const reason = broken[0]?.reason ?? reasonOf(table, error);
      damages.push({ files: suspects.map(({ path }) => path), reason, rows });
    }
    first += rows;
  }
  return { name: table.name, readableRows, damages };
}

type Range = readonly [handle: LanceTable, columns: readonly string[], first: number, rows: number];

/** Reads the rows of a range, and counts them. */
async function readRange(...[handle, columns, first, rows]: Range): Promise<number> {
  return countOf(
    handle
      .query()
      .select([...columns])
      .offset(first)
      .limit(rows),
  );
}

const idsAtOnce = 10_000;

/** The same, slower, without a look at any fragment that holds none of them. */
async function readById(...[handle, columns, first, rows]: Range): Promise<number> {
  let read = 0;
  for (let at = 0; at < rows; at += idsAtOnce) {
    const limit = Math.min(idsAtOnce, rows - at);
    const ids: bigint[] = [];
    const query = handle
      .query()
      .select([rowId])
      .offset(first + at)
      .limit(limit);
    for await (const some of rowsOf(query))
      ids.push(...some.map((row) => BigInt(row[rowId] as bigint)));
    read += await countOf(handle.takeRowIds(ids).select([...columns]));
  }
  return read;
}

async function countOf(query: AsyncIterable<{ readonly numRows: number }>): Promise<number> {
  let rows = 0;
  for await (const batch of query) rows += batch.numRows;
  return rows;
}

async function filesOf(home: string, manifest: string): Promise<Map<number, DataFile[]>> {
  const files = new Map<number, DataFile[]>();
  for (const [fragment, own] of await dataFilesOf(manifest)) {
    files.set(
      fragment,
      own.map((file) => ({ ...file, path: join(home, "data", file.path) })),
    );
  }
  return files;
}

/** What can be told without reading a file. */
function brokenBy({ path, bytes }: DataFile): string | undefined {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) return "it is not there";
  return bytes === undefined || size === bytes ? undefined : `it has ${size} bytes, not ${bytes}`;
}

function unreadable(
  { name }: TableDeclaration,
  reason: string,
  files: readonly string[] = [],
): TableVerdict {
  return { name, readableRows: 0, damages: [{ files, reason }] };
}

function reasonOf({ name }: TableDeclaration, error: unknown): string {
  const typed = toTyped({ table: name, location: "" }, error);
  if (typed instanceof StorageUnavailableError) return typed.details.reason;
  return typed instanceof Error ? (typed.message.split("\n")[0] ?? "") : String(typed);
}
