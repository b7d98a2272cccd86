import type { Table as LanceTable } from "@lancedb/lancedb";
import type { Cell, TableDeclaration } from "../declaration.ts";
import { oneOf } from "../read/filter.ts";
import { fragmentOf } from "../read/fragments.ts";
import { rowAddress } from "../read/known-columns.ts";
import { rowsOf } from "../read/read.ts";
import { toSql } from "../read/sql.ts";

// What the engine makes at once of one value for every row of a batch.
const batchBytes = 16 * 1024 * 1024;
// Of a page that is shorter than the gap between two looks, a batch may be all there is; and of one
// row the engine makes no copy, where two of 20 MB take it half a second.
const batchRows = [16, 4, 1] as const;
const rowsOfGap = 64;
// Each leaves a fragment, and so many slow nothing down; but between two somebody may stop it.
const portionsAtMost = 16;
const batchesAtLeast = 256;

/** Rows that are stored anew in one commit. */
export type Portion = {
  /** Which they are, in SQL; all of the table for none. */
  readonly where: string | undefined;
  readonly rows: number;
  /** How many of them fit into memory, with what the engine makes of their nulls. */
  readonly rowsAtOnce: number;
};

/** Of which table, and which rows. */
export type Unmended = {
  readonly table: TableDeclaration;
  readonly handle: LanceTable;
  /** Those that may hold nulls. */
  readonly columns: readonly string[];
  /** The last of the fragments with such rows. */
  readonly lastFragment: number;
  readonly signal?: AbortSignal | undefined;
};

/** A table in portions, by the first column of its key where that has an index, in the order rows lie in. */
export async function portionsOf(unmended: Unmended): Promise<Portion[]> {
  const { table } = unmended;
  const sizes = await batchSizes(unmended);
  const keys = await keysOf(unmended, sizes);
  if (!isSearchable(table)) {
    const all = [...keys.values()];
    const rows = all.reduce((sum, each) => sum + each.rows, 0);
    const rowsAtOnce = Math.min(...all.map((each) => each.rowsAtOnce));
    return rows > 0 ? [{ where: undefined, rows, rowsAtOnce }] : [];
  }
  return batchRows.flatMap((rowsAtOnce) =>
    inPortions(
      table,
      [...keys].filter(([, key]) => key.rowsAtOnce === rowsAtOnce),
      rowsAtOnce,
    ),
  );
}

/** Whether the engine finds the rows of a key without looking at all of them. */
function isSearchable({ primaryKey: [key], indexes }: TableDeclaration): boolean {
  return indexes.some(({ column, kind }) => column === key && kind === "btree");
}

type KeyRows = { readonly rows: number; readonly rowsAtOnce: number };

function inPortions(
  table: TableDeclaration,
  keys: readonly (readonly [Cell, KeyRows])[],
  rowsAtOnce: number,
): Portion[] {
  const total = keys.reduce((sum, [, { rows }]) => sum + rows, 0);
  const enough = Math.max(Math.ceil(total / portionsAtMost), rowsAtOnce * batchesAtLeast);
  const portions: Portion[] = [];
  let some: Cell[] = [];
  let rows = 0;
  for (const [at, [key, more]] of keys.entries()) {
    some.push(key);
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

/** The keys of which rows are in those fragments, in the order they lie in. */
async function keysOf(
  { table, handle, lastFragment, signal }: Unmended,
  sizes: ReadonlyMap<number, number>,
): Promise<Map<Cell, KeyRows>> {
  const key = firstOf(table);
  const keys = new Map<Cell, KeyRows>();
  for await (const rows of rowsOf(table, handle.query().select([key, rowAddress]))) {
    signal?.throwIfAborted();
    for (const row of rows) {
      const fragment = fragmentOf(row);
      if (fragment > lastFragment) continue;
      const known = keys.get(row[key] ?? null) ?? { rows: 0, rowsAtOnce: batchRows[0] };
      const rowsAtOnce = Math.min(known.rowsAtOnce, sizes.get(fragment) ?? batchRows[0]);
      keys.set(row[key] ?? null, { rows: known.rows + 1, rowsAtOnce });
    }
  }
  return keys;
}

/**
 * How many rows of a fragment are read at once, where that is not as many as of any. A page of nulls
 * and one value the engine gives with that value behind every null, so one of its nulls says how long
 * it is; of two rows side by side one is such a null.
 */
async function batchSizes(unmended: Unmended): Promise<Map<number, number>> {
  const { handle, columns, lastFragment, signal } = unmended;
  const sizes = new Map<number, number>();
  const least = Math.min(...batchRows);
  for (let from = 0; from <= lastFragment; ) {
    const query = handle
      .query()
      .select([...columns, rowAddress])
      .where(lookedAt(from, lastFragment));
    let isLeast = false;
    // One by one, for each may be as long as the longest value.
    for await (const batch of query["execute"]({ maxBatchLength: 1 })) {
      signal?.throwIfAborted();
      const fragment = Number(BigInt(batch.getChild(rowAddress)?.get(0)) >> 32n);
      let bytes = 1;
      for (const { data, nullCount } of columns.flatMap((name) => batch.getChild(name) ?? [])) {
        if (nullCount > 0) bytes += data[0]?.values.length ?? 0;
      }
      const fitting = batchRows.find((rows) => rows * bytes <= batchBytes) ?? least;
      sizes.set(fragment, Math.min(fitting, sizes.get(fragment) ?? fitting));
      isLeast = fitting === least;
      if (!isLeast) continue;
      // Nothing that comes behind it in its fragment changes that.
      from = fragment + 1;
      break;
    }
    if (!isLeast) return sizes;
  }
  return sizes;
}

/** A few rows of each fragment from one on. */
function lookedAt(from: number, last: number): string {
  const [first, end] = [BigInt(from) << 32n, BigInt(last + 1) << 32n];
  return `_rowaddr >= ${first} AND _rowaddr < ${end} AND _rowaddr % ${rowsOfGap} < 2`;
}
