import { statSync } from "node:fs";
import { join } from "node:path";
import type { Table as LanceTable } from "@lancedb/lancedb";
import type { RecordBatch } from "apache-arrow";
import { createCaches } from "./caches.ts";
import { Catalog } from "./catalog.ts";
import type { Row, TableDeclaration } from "./declaration.ts";
import { StorageUnavailableError, StoreNotFoundError } from "./errors.ts";
import { fragmentsOf, rowId } from "./fragments.ts";
import { isWhole, manifestsOf } from "./heal.ts";
import { type NamedFile, type NamedFiles, namedFiles } from "./manifest-files.ts";
import { toTyped } from "./native-errors.ts";
import { rowsOf } from "./read.ts";
import { isMissing, locate } from "./storage.ts";
import type { StoreOptions } from "./store.ts";
import { toRows } from "./to-rows.ts";

/** Something stored that cannot be read, or that is not what was written. */
export type Damage = {
  /** Files of which at least one is damaged; none where nobody can say, or the store is no folder. */
  readonly files: readonly string[];
  readonly reason: string;
  /** How many rows are lost with it; undefined where nobody can say. */
  readonly rows?: number;
  /** Primary keys of some of these rows, where they can be read. */
  readonly ids?: readonly (readonly string[])[];
};

/** What of one table can be read. */
export type TableVerdict = {
  readonly name: string;
  /** Rows that were read, to the last column. */
  readonly readableRows: number;
  readonly damages: readonly Damage[];
  /** Rows that were read, and of which a {@link ContentCheck} could not tell; left out for none. */
  readonly uncheckedRows?: number;
};

/** What a {@link ContentCheck} found in one table. */
export type ContentVerdict = Pick<TableVerdict, "damages" | "uncheckedRows">;

/**
 * Tells of rows that can be read whether they are what was written, which the engine cannot: it
 * keeps no checksums. Given each row once.
 */
export type ContentCheck = {
  /** Columns of the rows it is given, by table. */
  readonly columns: Readonly<Record<string, readonly string[]>>;
  /** Of which of these tables the next rows are to be read. */
  next(tables: readonly string[]): string | undefined;
  /** Takes the next rows of a table. */
  add(table: string, rows: readonly Row[]): void;
  /**
   * What it found, by table, when there are no more rows.
   *
   * @param damaged - Tables of which not every row was read.
   */
  finish(damaged: ReadonlySet<string>): ReadonlyMap<string, ContentVerdict>;
};

/** Which store is read, and what stops the reading. */
export type VerifyOptions = Pick<StoreOptions, "tables" | "storageOptions"> & {
  readonly content?: ContentCheck;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Reads every row of every table, and says what cannot be read. Changes nothing, heals nothing, and
 * goes on behind what is damaged: one table does not hide another, nor one fragment the next. Bytes
 * that changed into others that can be read are found as far as `content` can tell.
 *
 * @throws {StoreNotFoundError} where there is no store.
 */
export async function verifyStore(
  location: string,
  { tables, storageOptions, content, signal }: VerifyOptions,
): Promise<TableVerdict[]> {
  const place = locate(location);
  if (isMissing(place)) throw new StoreNotFoundError(place.uri);
  const options = { storageOptions, caches: createCaches(), stalenessMs: 0 };
  const catalog = await Catalog.connect(place, options);
  const readings = new Map<string, Reading>();
  try {
    const datasets = await catalog.look(tables);
    if (datasets.size === 0) throw new StoreNotFoundError(place.uri);
    for (const table of tables) {
      const dataset = datasets.get(table.name);
      const home = place.folder && dataset && join(place.folder, `${dataset}.lance`);
      const columns = content?.columns[table.name];
      readings.set(
        table.name,
        verifyTable({ catalog, table, home, columns, signal, isThere: dataset !== undefined }),
      );
    }
    const verdicts = await readAll(readings, content);
    const found = content?.finish(damagedOf(verdicts));
    return tables.flatMap(({ name }) => {
      const verdict = verdicts.get(name);
      return verdict ? [withContent(verdict, found?.get(name))] : [];
    });
  } finally {
    for (const reading of readings.values()) await reading.return(undefined as never);
    catalog.close();
  }
}

/** Gives rows a batch at a time, and ends with what of the table can be read. */
type Reading = AsyncGenerator<readonly Row[], TableVerdict, undefined>;

async function readAll(
  readings: ReadonlyMap<string, Reading>,
  content: ContentCheck | undefined,
): Promise<ReadonlyMap<string, TableVerdict>> {
  const verdicts = new Map<string, TableVerdict>();
  const open = new Map(readings);
  for (;;) {
    const names = [...open.keys()];
    const name = content?.next(names) ?? names[0];
    const reading = name === undefined ? undefined : open.get(name);
    if (name === undefined || reading === undefined) return verdicts;
    const { done, value } = await reading.next();
    if (done) {
      verdicts.set(name, value);
      open.delete(name);
    } else content?.add(name, value);
  }
}

function damagedOf(verdicts: ReadonlyMap<string, TableVerdict>): ReadonlySet<string> {
  const damaged = [...verdicts].filter(([, { damages }]) => damages.some(({ rows }) => rows !== 0));
  return new Set(damaged.map(([name]) => name));
}

function withContent(verdict: TableVerdict, found: ContentVerdict | undefined): TableVerdict {
  if (found === undefined) return verdict;
  return { ...verdict, ...found, damages: [...verdict.damages, ...found.damages] };
}

type Reader = {
  readonly catalog: Catalog;
  readonly table: TableDeclaration;
  /** Undefined where the store is no folder. */
  readonly home: string | undefined;
  /** Columns of the rows that are wanted. */
  readonly columns: readonly string[] | undefined;
  readonly signal: AbortSignal | undefined;
  readonly isThere: boolean;
};

async function* verifyTable({ catalog, table, home, isThere, ...reader }: Reader): Reading {
  if (!isThere) return unreadable(table, "it is not there");
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
    const files = manifest && home ? await namedFiles(home, manifest) : noFiles;
    const verdict = yield* verifyFragments(table, handle, files, reader);
    return { ...verdict, damages: [...verdict.damages, ...(await lostIndexFiles(files))] };
  } catch (error) {
    reader.signal?.throwIfAborted();
    return unreadable(table, reasonOf(table, error), named);
  } finally {
    handle.close();
  }
}

const noFiles: NamedFiles = { fragments: new Map(), indexes: [] };

/** No row is lost with an index; but what needs that index fails. */
async function lostIndexFiles({ indexes }: NamedFiles): Promise<Damage[]> {
  const damages: Damage[] = [];
  for (const { name, files } of indexes) {
    for (const file of files) {
      const broken = brokenBy(file) ?? ((await isWhole(file.path)) ? undefined : "it is torn");
      if (broken === undefined) continue;
      damages.push({ files: [file.path], reason: `index ${name}: ${broken}`, rows: 0 });
    }
  }
  return damages;
}

async function* verifyFragments(
  table: TableDeclaration,
  handle: LanceTable,
  { fragments }: NamedFiles,
  { columns: wanted, signal }: Pick<Reader, "columns" | "signal">,
): Reading {
  const damages: Damage[] = [];
  let readableRows = 0;
  let first = 0;
  const columns = Object.keys(table.columns);
  for (const [fragment, rows] of await fragmentsOf(handle)) {
    signal?.throwIfAborted();
    const own = fragments.get(fragment) ?? [];
    const broken = own.flatMap((file) => {
      const reason = brokenBy(file);
      return reason === undefined ? [] : [{ file, reason }];
    });
    let read = 0;
    try {
      const batches = readFragment({ handle, columns, first, rows }, broken.length === 0);
      for await (const batch of batches) {
        signal?.throwIfAborted();
        read += batch.numRows;
        if (wanted) yield toRows(batch.selectAt(wanted.map((name) => columns.indexOf(name))));
      }
      if (read < rows) throw new RangeError(`${rows - read} rows are missing`);
      // The engine did not need all of a file that is not as it was written.
      for (const { file, reason } of broken) damages.push({ files: [file.path], reason, rows: 0 });
    } catch (error) {
      signal?.throwIfAborted();
      const suspects = broken.length > 0 ? broken.map(({ file }) => file) : own;
      const reason = broken[0]?.reason ?? reasonOf(table, error);
      damages.push({ files: suspects.map(({ path }) => path), reason, rows: rows - read });
    }
    readableRows += read;
    first += rows;
  }
  return { name: table.name, readableRows, damages };
}

type Range = {
  readonly handle: LanceTable;
  readonly columns: readonly string[];
  readonly first: number;
  readonly rows: number;
};

/** Reads the rows of a range, each once. */
async function* readFragment(range: Range, isWhole: boolean): AsyncGenerator<RecordBatch> {
  const { handle, columns, first, rows } = range;
  let read = 0;
  const query = handle.query().select([...columns]);
  try {
    for await (const batch of query.offset(first).limit(rows)) {
      read += batch.numRows;
      yield batch;
    }
  } catch (error) {
    if (!isWhole) throw error;
    // It may have stumbled over the file of another fragment.
    yield* readById({ ...range, first: first + read, rows: rows - read });
  }
}

const idsAtOnce = 10_000;

/** The same, slower, without a look at any fragment that holds none of them. */
async function* readById({ handle, columns, first, rows }: Range): AsyncGenerator<RecordBatch> {
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
    yield* handle.takeRowIds(ids).select([...columns]);
  }
}

/** What can be told without reading a file. */
function brokenBy({ path, bytes }: NamedFile): string | undefined {
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
