import { statSync } from "node:fs";
import type { Table as LanceTable } from "@lancedb/lancedb";
import type { RecordBatch } from "apache-arrow";
import type { Row, TableDeclaration } from "../declaration.ts";
import { toTypedError } from "../engine/native-errors.ts";
import { absentColumns, columnsWithNulls } from "../engine/schema.ts";
import { StorageUnavailableError } from "../errors.ts";
import { versionOf } from "../manifest-names.ts";
import { and, gte, lt } from "../read/filter.ts";
import { fragmentsOf } from "../read/fragments.ts";
import { rowsOf, scanQuery } from "../read/read.ts";
import { type RowRange, rowRangesOfFragment } from "../read/row-ranges.ts";
import { rowAddress } from "../read/system-columns.ts";
import { batchesOf, toSelection } from "../read/with-nulls.ts";
import { toRows } from "../rows/to-rows.ts";
import type { Catalog } from "../storage/catalog.ts";
import { isFileNotFound } from "../storage/storage.ts";
import { manifestsOf } from "./heal.ts";
import { type NamedFile, type NamedFiles, namedFiles } from "./manifest-files.ts";
import { hasFooter } from "./torn-files.ts";

/** Something stored that cannot be read, or that is not what was written. */
export type Damage = {
  /**
   * Files of which at least one is damaged; empty if nobody can say, or the store is not a folder.
   */
  readonly files: readonly string[];
  readonly reason: string;
  /** How many rows are lost because of it; undefined if nobody can say. */
  readonly rows?: number;
  /** Primary keys of some of these rows, if they can be read. */
  readonly ids?: readonly (readonly string[])[];
};

/** How much of one table can be read. */
export type TableVerdict = {
  readonly name: string;
  /** Rows that were read, to the last column. */
  readonly readableRows: number;
  readonly damages: readonly Damage[];
  /** Rows that were read but whose content no check could judge; absent if there are none. */
  readonly uncheckedRows?: number;
};

/** Yields rows a batch at a time, and returns how much of the table can be read. */
export type TableReading = AsyncGenerator<readonly Row[], TableVerdict, undefined>;

export type TableReader = {
  readonly catalog: Catalog;
  readonly table: TableDeclaration;
  /** Undefined if the store is not a folder. */
  readonly home: string | undefined;
  /** Columns of the rows that are yielded. */
  readonly columns: readonly string[] | undefined;
  readonly signal: AbortSignal | undefined;
  readonly isThere: boolean;
};

const maxVersions = 5;

/**
 * Reads a version of a table. If another process has folded the table and removed that version, the
 * current one is read instead; its rows may be in another order, so none are yielded again.
 */
export async function* verifyTable(reader: TableReader): TableReading {
  if (!reader.isThere) return unreadableVerdict(reader.table, "it is not there");
  for (let left = maxVersions, { columns } = reader; ; columns = undefined) {
    left -= 1;
    const { verdict, isRemoved } = yield* verifyNewest({ ...reader, columns });
    if (!isRemoved || left === 0) return verdict;
  }
}

type VersionRead = { readonly verdict: TableVerdict; readonly isRemoved: boolean };

async function* verifyNewest({
  catalog,
  table,
  home,
  ...reader
}: TableReader): AsyncGenerator<readonly Row[], VersionRead, undefined> {
  let named: readonly string[] = [];
  let isTorn: boolean | undefined;
  try {
    named = home === undefined ? [] : (await manifestsOf(home)).slice(0, 1);
    const [newest] = named;
    // The engine reads a manifest of zeros as an empty table.
    isTorn = newest ? await hasFooter(newest).then((isIt) => !isIt, undefinedIfGone) : false;
  } catch (error) {
    return { verdict: unreadableVerdict(table, reasonOf(table, error), named), isRemoved: false };
  }
  const [manifest] = named;
  if (isTorn !== false) {
    return {
      verdict: unreadableVerdict(table, "it is torn", named),
      isRemoved: isTorn === undefined,
    };
  }
  let handle: LanceTable;
  try {
    ({ handle } = await catalog.openChecked(table));
  } catch (error) {
    return { verdict: unreadableVerdict(table, reasonOf(table, error), named), isRemoved: false };
  }
  try {
    const version = manifest === undefined ? await handle.version() : versionOf(manifest);
    const verdict = yield* verifyVersion(table, handle, { version, manifest, home }, reader);
    const isRemoved = verdict.damages.length > 0 && !(await hasVersion(handle, version));
    return { verdict, isRemoved };
  } finally {
    handle.close();
  }
}

/** Undefined for a file that another process has cleaned away. */
function undefinedIfGone(error: unknown): undefined {
  if (!isFileNotFound(error)) throw error;
}

type Version = {
  readonly version: number;
  /** Undefined if the store is not a folder, as is `home`. */
  readonly manifest: string | undefined;
  readonly home: string | undefined;
};

async function* verifyVersion(
  table: TableDeclaration,
  handle: LanceTable,
  { version, manifest, home }: Version,
  reader: Pick<TableReader, "columns" | "signal">,
): TableReading {
  try {
    // Later commits of others may have the rows in another order.
    await handle.checkout(version);
    const files = manifest && home ? await namedFiles(home, manifest) : noFiles;
    const verdict = yield* verifyFragments(table, handle, files, reader);
    return { ...verdict, damages: [...verdict.damages, ...(await lostIndexFiles(files))] };
  } catch (error) {
    reader.signal?.throwIfAborted();
    return unreadableVerdict(
      table,
      reasonOf(table, error),
      manifest === undefined ? [] : [manifest],
    );
  }
}

/** False only if the version is known to be gone. */
async function hasVersion(handle: LanceTable, wanted: number): Promise<boolean> {
  try {
    return (await handle.listVersions()).some(({ version }) => version === wanted);
  } catch {
    return true;
  }
}

const noFiles: NamedFiles = { fragments: new Map(), indexes: [] };

/** No row is lost with an index, but everything that needs the index fails. */
async function lostIndexFiles({ indexes }: NamedFiles): Promise<Damage[]> {
  const damages: Damage[] = [];
  for (const { name, files } of indexes) {
    for (const file of files) {
      const broken = sizeProblem(file) ?? ((await hasFooter(file.path)) ? undefined : "it is torn");
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
  { columns: wanted, signal }: Pick<TableReader, "columns" | "signal">,
): TableReading {
  const damages: Damage[] = [];
  let readableRows = 0;
  let first = 0;
  const schema = await handle.schema();
  const absent = absentColumns(schema, table);
  const withNulls = columnsWithNulls(schema, table);
  const columns = Object.keys(table.columns).filter((name) => !absent.includes(name));
  const given = wanted && columns.filter((name) => wanted.includes(name));
  const lacking = absent.filter((name) => wanted?.includes(name));
  for (const [fragment, rows] of await fragmentsOf(table, handle)) {
    signal?.throwIfAborted();
    const own = fragments.get(fragment) ?? [];
    const broken = own.flatMap((file) => {
      const reason = sizeProblem(file);
      return reason === undefined ? [] : [{ file, reason }];
    });
    let read = 0;
    try {
      const fragmentRows = { table, handle, columns, withNulls, fragment, files: own, first, rows };
      for await (const batch of readFragment(fragmentRows)) {
        signal?.throwIfAborted();
        read += batch.numRows;
        if (given) {
          const at = given.map((name) => columns.indexOf(name));
          yield toRows(table, batch.selectAt(at), lacking);
        }
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

/** The rows of a fragment. */
type FragmentRows = {
  readonly table: TableDeclaration;
  readonly handle: LanceTable;
  readonly columns: readonly string[];
  readonly withNulls: readonly string[];
  readonly fragment: number;
  readonly files: readonly NamedFile[];
  /** The number of its first row among all rows. */
  readonly first: number;
  readonly rows: number;
};

/**
 * Reads the rows of a fragment, each once, in one of two ways as far as that goes, and then in the
 * other.
 */
async function* readFragment(fragmentRows: FragmentRows): AsyncGenerator<RecordBatch> {
  const { withNulls, first } = fragmentRows;
  let next = first;
  let failure: unknown;
  for (const way of withNulls.length > 0 ? [scanRows, takeRows] : [takeRows, scanRows]) {
    try {
      for await (const batch of way(fragmentRows, next)) {
        next += batch.numRows;
        yield batch;
      }
      return;
    } catch (error) {
      // A scan may fail because of another fragment's file.
      if (way === takeRows) failure = error;
    }
  }
  throw failure;
}

/**
 * The rows from one on, found by passing over all rows before them: of the two ways, the only one
 * that needs little memory for nulls.
 */
function scanRows(
  { table, handle, columns, withNulls, first, rows }: FragmentRows,
  next: number,
): AsyncIterable<RecordBatch> {
  const query = handle.query().select(toSelection(table, columns, withNulls));
  return batchesOf(query.offset(next).limit(first + rows - next), withNulls);
}

// As fast as a scan, in the same amount of memory.
const defaultRowsAtOnce = 4096;

/**
 * The rows from one on, without touching another fragment. Fails if an index has lost its column.
 */
async function* takeRows(fragmentRows: FragmentRows, next: number): AsyncGenerator<RecordBatch> {
  const { table, handle, columns, withNulls } = fragmentRows;
  let from = next;
  let end = fragmentRows.first;
  for (const { rows, rowsAtOnce = defaultRowsAtOnce } of await piecesOf(fragmentRows)) {
    end += rows;
    while (from < end) {
      const length = Math.min(rowsAtOnce, end - from);
      const numbers = Array.from({ length }, (_, at) => from + at);
      const taken = handle.takeOffsets(numbers).select(toSelection(table, columns, withNulls));
      yield* batchesOf(taken, withNulls);
      from += length;
    }
  }
}

type Piece = RowRange & { rows: number };

/** How many rows of each range exist: in a derived table some were replaced. */
async function piecesOf({ table, handle, fragment, files, rows }: FragmentRows): Promise<Piece[]> {
  const ranges = await rowRangesOfFragment(fragment, files);
  const pieces: Piece[] = ranges.map((range) => ({ ...range, rows: 0 }));
  const [first, last] = [pieces.at(0), pieces.at(-1)];
  if (first === undefined || last === undefined) return [];
  if (first === last) return [{ ...first, rows }];
  const where = and(gte(rowAddress, first.from), lt(rowAddress, last.to));
  const addresses = rowsOf(table, scanQuery(table, handle, { columns: [rowAddress], where }));
  let at = 0;
  for await (const some of addresses) {
    for (const row of some) {
      const address = BigInt(row[rowAddress] as bigint);
      let piece = pieces[at];
      while (piece && piece.to <= address) piece = pieces[++at];
      if (piece) piece.rows += 1;
    }
  }
  return pieces;
}

/** What can be told without reading a file. */
function sizeProblem({ path, bytes }: NamedFile): string | undefined {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) return "it is not there";
  return bytes === undefined || size === bytes ? undefined : `it has ${size} bytes, not ${bytes}`;
}

function unreadableVerdict(
  { name }: TableDeclaration,
  reason: string,
  files: readonly string[] = [],
): TableVerdict {
  return { name, readableRows: 0, damages: [{ files, reason }] };
}

function reasonOf({ name }: TableDeclaration, error: unknown): string {
  const typed = toTypedError({ table: name, location: "" }, error);
  if (typed instanceof StorageUnavailableError) return typed.details.reason;
  return typed instanceof Error ? (typed.message.split("\n")[0] ?? "") : String(typed);
}
