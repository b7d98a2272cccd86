import type { Table as LanceTable } from "@lancedb/lancedb";
import type { Cell, TableDeclaration } from "../declaration.ts";
import { oneOf } from "../read/filter.ts";
import { fragmentOf } from "../read/fragments.ts";
import { rowAddress, rowId } from "../read/known-columns.ts";
import { rowsOf } from "../read/read.ts";
import { toSql } from "../read/sql.ts";

// The most that the engine may make at once of one value for every row of a batch.
const batchBytes = 16 * 1024 * 1024;
// A page that is shorter than the gap between two samples may be overlooked; a batch then takes its
// value so many times. For one row the engine makes no copy, where two of 20 MB take it half a
// second.
const batchRows = [16, 4, 1] as const;
const rowsOfGap = 256n;
// Each may bring as much again.
const samplesAtOnce = 4;
// Each leaves a fragment, and so many slow nothing down; but the work can be stopped between two.
const portionsAtMost = 16;
const batchesAtLeast = 256;

/** Rows that are rewritten in one commit. */
export type Portion = {
  /** Which rows they are, in SQL; undefined for the whole table. */
  readonly where: string | undefined;
  readonly rows: number;
  /** How many of them fit into memory, together with what the engine makes of their nulls. */
  readonly rowsAtOnce: number;
};

/** The table and the rows to rewrite. */
export type Unmended = {
  readonly table: TableDeclaration;
  readonly handle: LanceTable;
  /** The columns that may hold nulls. */
  readonly columns: readonly string[];
  /** The last of the fragments with such rows. */
  readonly lastFragment: number;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Cuts a table into portions, by the first column of its key if that has an index, in the order in
 * which rows are stored.
 */
export async function portionsOf(unmended: Unmended): Promise<Portion[]> {
  const { table } = unmended;
  const laid = await layOf(unmended);
  const sizes = await batchSizes(unmended, laid);
  const [most] = batchRows;
  const sizeOf = (fragment: number): number => sizes.get(fragment) ?? most;
  const keys = [...laid.keys].map(([key, { rows, fragments }]): KeyRows => {
    return { key, rows, rowsAtOnce: Math.min(...fragments.map(sizeOf)) };
  });
  if (!isSearchable(table)) {
    const rows = keys.reduce((sum, each) => sum + each.rows, 0);
    const rowsAtOnce = keys.reduce<number>((least, each) => Math.min(least, each.rowsAtOnce), most);
    return rows > 0 ? [{ where: undefined, rows, rowsAtOnce }] : [];
  }
  return batchRows.flatMap((rowsAtOnce) => {
    const alike = keys.filter((each) => each.rowsAtOnce === rowsAtOnce);
    return inPortions(table, alike, rowsAtOnce);
  });
}

/** Whether the engine finds the rows of a key without looking at all of them. */
function isSearchable({ primaryKey: [key], indexes }: TableDeclaration): boolean {
  return indexes.some(({ column, kind }) => column === key && kind === "btree");
}

type KeyRows = Pick<Portion, "rows" | "rowsAtOnce"> & { readonly key: Cell };

function inPortions(
  table: TableDeclaration,
  keys: readonly KeyRows[],
  rowsAtOnce: number,
): Portion[] {
  const total = keys.reduce((sum, { rows }) => sum + rows, 0);
  const enough = Math.max(Math.ceil(total / portionsAtMost), rowsAtOnce * batchesAtLeast);
  const portions: Portion[] = [];
  let some: Cell[] = [];
  let rows = 0;
  for (const [at, more] of keys.entries()) {
    some.push(more.key);
    rows += more.rows;
    if (rows < enough && at < keys.length - 1) continue;
    portions.push({ where: whereOf(table, some), rows, rowsAtOnce });
    some = [];
    rows = 0;
  }
  return portions;
}

function whereOf(table: TableDeclaration, keys: readonly Cell[]): string {
  return toSql(oneOf(firstOf(table), keys as string[]), table);
}

function firstOf({ primaryKey }: TableDeclaration): string {
  return primaryKey[0] ?? "";
}

/** What is in the fragments that may hold nulls. */
type Laid = {
  /** Keys in the order in which their rows are stored, with the fragments that these are in. */
  readonly keys: Map<Cell, { rows: number; readonly fragments: number[] }>;
  /** Ids of a few rows of each fragment: two adjacent ones at regular intervals. */
  readonly samples: Map<number, bigint[]>;
};

async function layOf({ table, handle, lastFragment, signal }: Unmended): Promise<Laid> {
  const key = firstOf(table);
  const laid: Laid = { keys: new Map(), samples: new Map() };
  for await (const rows of rowsOf(table, handle.query().select([key, rowId, rowAddress]))) {
    signal?.throwIfAborted();
    for (const row of rows) {
      const fragment = fragmentOf(row);
      if (fragment > lastFragment) continue;
      const known = laid.keys.get(row[key] ?? null) ?? { rows: 0, fragments: [] };
      known.rows += 1;
      if (known.fragments.at(-1) !== fragment) known.fragments.push(fragment);
      laid.keys.set(row[key] ?? null, known);
      if (BigInt(row[rowAddress] as bigint) % rowsOfGap >= 2n) continue;
      const samples = laid.samples.get(fragment) ?? [];
      samples.push(BigInt(row[rowId] as bigint));
      laid.samples.set(fragment, samples);
    }
  }
  return laid;
}

/**
 * How many rows of each fragment are read at once. In a page of nulls and one value, the engine
 * delivers that value for every null, so one null tells how long it is; and one of two adjacent
 * rows is such a null.
 */
async function batchSizes(unmended: Unmended, { samples }: Laid): Promise<Map<number, number>> {
  const sizes = new Map<number, number>();
  for (const [fragment, ids] of samples) {
    let size: number = batchRows[0];
    for (let at = 0; at < ids.length && size > 1; at += samplesAtOnce) {
      unmended.signal?.throwIfAborted();
      const bytes = await bytesOfNull(unmended, ids.slice(at, at + samplesAtOnce));
      size = Math.min(size, batchRows.find((rows) => rows * bytes <= batchBytes) ?? 1);
    }
    sizes.set(fragment, size);
  }
  return sizes;
}

/** How many bytes the engine delivers for a null of some rows, at the most. */
async function bytesOfNull({ handle, columns }: Unmended, ids: bigint[]): Promise<number> {
  let most = 0;
  const query = handle.takeRowIds(ids).select([...columns]);
  for await (const batch of query["execute"]({ maxBatchLength: 1 })) {
    let bytes = 0;
    for (const { data, nullCount } of columns.flatMap((name) => batch.getChild(name) ?? [])) {
      if (nullCount > 0) bytes += data[0]?.values.length ?? 0;
    }
    most = Math.max(most, bytes);
  }
  return most;
}
