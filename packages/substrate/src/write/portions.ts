import type { Table as LanceTable } from "@lancedb/lancedb";
import type { Cell, TableDeclaration } from "../declaration.ts";
import { oneOf } from "../read/filter.ts";
import { fragmentOf } from "../read/fragments.ts";
import { rowsOf } from "../read/read.ts";
import { toSql } from "../read/sql.ts";
import { rowAddress, rowId } from "../read/system-columns.ts";

// The most that the engine may make at once of one value for every row of a batch.
const batchBytes = 16 * 1024 * 1024;
// A page that is shorter than the gap between two samples may be overlooked; a batch then takes its
// value so many times. For one row the engine makes no copy, where two of 20 MB take it half a
// second.
const batchRows = [16, 4, 1] as const;
const rowsPerSample = 256n;
// Each may bring as much again.
const samplesAtOnce = 4;
// Each leaves a fragment, and so many slow nothing down; but the work can be stopped between two.
const maxPortions = 16;
const minBatches = 256;

/** Rows that are rewritten in one commit. */
export type Portion = {
  /** Which rows they are, in SQL; undefined for the whole table. */
  readonly where: string | undefined;
  readonly rows: number;
  /** How many of them fit into memory, together with what the engine makes of their nulls. */
  readonly rowsAtOnce: number;
};

/** The table and the rows to rewrite. */
export type RewriteTarget = {
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
export async function portionsOf(target: RewriteTarget): Promise<Portion[]> {
  const { table } = target;
  const layout = await readLayout(target);
  const sizes = await batchSizes(target, layout);
  const [most] = batchRows;
  const sizeOf = (fragment: number): number => sizes.get(fragment) ?? most;
  const keys = [...layout.keys].map(([key, { rows, fragments }]): KeyRows => {
    return { key, rows, rowsAtOnce: Math.min(...fragments.map(sizeOf)) };
  });
  if (!isSearchable(table)) {
    const rows = keys.reduce((sum, each) => sum + each.rows, 0);
    const rowsAtOnce = keys.reduce<number>((least, each) => Math.min(least, each.rowsAtOnce), most);
    return rows > 0 ? [{ where: undefined, rows, rowsAtOnce }] : [];
  }
  return batchRows.flatMap((rowsAtOnce) => {
    const alike = keys.filter((each) => each.rowsAtOnce === rowsAtOnce);
    return toPortions(table, alike, rowsAtOnce);
  });
}

/** Whether the engine finds the rows of a key without looking at all of them. */
function isSearchable({ primaryKey: [key], indexes }: TableDeclaration): boolean {
  return indexes.some(({ column, kind }) => column === key && kind === "btree");
}

type KeyRows = Pick<Portion, "rows" | "rowsAtOnce"> & { readonly key: Cell };

function toPortions(
  table: TableDeclaration,
  keys: readonly KeyRows[],
  rowsAtOnce: number,
): Portion[] {
  const total = keys.reduce((sum, { rows }) => sum + rows, 0);
  const enough = Math.max(Math.ceil(total / maxPortions), rowsAtOnce * minBatches);
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
  return toSql(oneOf(firstKeyColumn(table), keys as string[]), table);
}

function firstKeyColumn({ primaryKey }: TableDeclaration): string {
  return primaryKey[0] ?? "";
}

/** What is in the fragments that may hold nulls. */
type RowLayout = {
  /** Keys in the order in which their rows are stored, with the fragments that these are in. */
  readonly keys: Map<Cell, { rows: number; readonly fragments: number[] }>;
  /** Ids of a few rows of each fragment: two adjacent ones at regular intervals. */
  readonly samples: Map<number, bigint[]>;
};

async function readLayout({
  table,
  handle,
  lastFragment,
  signal,
}: RewriteTarget): Promise<RowLayout> {
  const key = firstKeyColumn(table);
  const layout: RowLayout = { keys: new Map(), samples: new Map() };
  for await (const rows of rowsOf(table, handle.query().select([key, rowId, rowAddress]))) {
    signal?.throwIfAborted();
    for (const row of rows) {
      const fragment = fragmentOf(row);
      if (fragment > lastFragment) continue;
      const known = layout.keys.get(row[key] ?? null) ?? { rows: 0, fragments: [] };
      known.rows += 1;
      if (known.fragments.at(-1) !== fragment) known.fragments.push(fragment);
      layout.keys.set(row[key] ?? null, known);
      if (BigInt(row[rowAddress] as bigint) % rowsPerSample >= 2n) continue;
      const samples = layout.samples.get(fragment) ?? [];
      samples.push(BigInt(row[rowId] as bigint));
      layout.samples.set(fragment, samples);
    }
  }
  return layout;
}

/**
 * How many rows of each fragment are read at once. In a page of nulls and one value, the engine
 * delivers that value for every null, so one null tells how long it is; and one of two adjacent
 * rows is such a null.
 */
async function batchSizes(
  target: RewriteTarget,
  { samples }: RowLayout,
): Promise<Map<number, number>> {
  const sizes = new Map<number, number>();
  for (const [fragment, ids] of samples) {
    let size: number = batchRows[0];
    for (let at = 0; at < ids.length && size > 1; at += samplesAtOnce) {
      target.signal?.throwIfAborted();
      const bytes = await bytesOfNull(target, ids.slice(at, at + samplesAtOnce));
      size = Math.min(size, batchRows.find((rows) => rows * bytes <= batchBytes) ?? 1);
    }
    sizes.set(fragment, size);
  }
  return sizes;
}

/** How many bytes the engine delivers for a null of some rows, at the most. */
async function bytesOfNull({ handle, columns }: RewriteTarget, ids: bigint[]): Promise<number> {
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
