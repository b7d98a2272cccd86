import type { Table as LanceTable } from "@lancedb/lancedb";
import type { Cell, TableDeclaration } from "../declaration.ts";
import { oneOf } from "../read/filter.ts";
import { fragmentOf } from "../read/fragments.ts";
import { rowAddress, rowId } from "../read/known-columns.ts";
import { rowsOf } from "../read/read.ts";
import { toSql } from "../read/sql.ts";

// What the engine makes at once of one value for every row of a batch.
const batchBytes = 16 * 1024 * 1024;
// A page that is shorter than the gap between two looks may be overlooked, and then a batch takes so
// many times its value. Of one row the engine makes no copy, where two of 20 MB take it half a second.
const batchRows = [16, 4, 1] as const;
const rowsOfGap = 256n;
// Each may come with as much behind it.
const samplesAtOnce = 4;
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

/** What lies in the fragments that may hold nulls. */
type Laid = {
  /** Keys in the order their rows lie in, with the fragments these are in. */
  readonly keys: Map<Cell, { rows: number; readonly fragments: number[] }>;
  /** Ids of a few rows of each fragment: every so many rows two side by side. */
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
 * How many rows of each fragment are read at once. A page of nulls and one value the engine gives with
 * that value behind every null, so one of its nulls says how long it is; of two rows side by side one
 * is such a null.
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

/** How many bytes the engine gives for a null of some rows, the most of them. */
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
