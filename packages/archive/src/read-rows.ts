import {
  type Cell,
  oneOf,
  type Row,
  rowId,
  StorageUnavailableError,
  type Table,
} from "@pond/substrate";
import { extended, within } from "./ranges.ts";
import { readAhead } from "./read-ahead.ts";

// How much is read at once. The size of rows shows only when they arrive. So the first read is
// small, because for rows of 3 MB the engine takes five times as much.
const bytesAtOnce = 8 * 1024 * 1024;
const firstRows = 8;
const maxGrowthFactor = 16;
const maxRows = 2_000;

/** Whole rows by their row ids, in that order. */
export function readRows(
  table: Table,
  columns: readonly string[],
  rowIds: readonly bigint[],
): AsyncGenerator<Row> {
  return rowsOfChunks(new RowReader(table, columns).chunks(rowIds));
}

/** Rows that were read together. */
export type Chunk = { readonly rows: readonly Row[]; readonly bytes: number };

/**
 * The rows of chunks. The next chunk is read while one is used, unless that is large.
 *
 * @param onRead - Awaited after the reading of each chunk, before its rows come.
 */
export async function* rowsOfChunks(
  chunks: AsyncGenerator<Chunk>,
  onRead?: () => Promise<void>,
): AsyncGenerator<Row> {
  const isLarge = ({ bytes }: Chunk): boolean => bytes > 2 * bytesAtOnce;
  for await (const { rows } of readAhead(chunks, isLarge)) {
    await onRead?.();
    yield* rows;
  }
}

/** Reads rows by their ids, about equally many megabytes at a time. */
export class RowReader {
  readonly #table: Table;
  readonly #columns: readonly string[];
  /** How many rows are read at once. */
  count: number = firstRows;

  constructor(table: Table, columns: readonly string[]) {
    this.#table = table;
    this.#columns = columns;
  }

  async *chunks(rowIds: readonly bigint[]): AsyncGenerator<Chunk> {
    for (let from = 0; from < rowIds.length; ) {
      const ids = rowIds.slice(from, from + this.count);
      from += ids.length;
      yield await this.read(ids);
    }
  }

  async read(rowIds: readonly bigint[]): Promise<Chunk> {
    const table = this.#table;
    const where = oneOf(rowId, rowIds);
    const found = await table.rows({ columns: [...this.#columns, rowId], where });
    const byId = new Map(found.map((row) => [BigInt(row[rowId] as bigint), row]));
    const rows = rowIds.map((id) => byId.get(id) ?? throwRowsGone(table));
    const bytes = rows.reduce((sum, row) => sum + bytesOf(row), 0);
    const fitting = Math.floor((bytesAtOnce * rows.length) / Math.max(1, bytes));
    this.count = Math.max(1, Math.min(maxRows, this.count * maxGrowthFactor, fitting));
    return { rows, bytes };
  }
}

/**
 * Rows of some sessions by their row ids, in any order: for few columns and many rows of the table.
 */
export async function* scanRows(
  table: Table,
  columns: readonly string[],
  rowIds: readonly bigint[],
  sessionIds: Iterable<string>,
): AsyncGenerator<Row> {
  const [first, ...others] = sessionIds;
  if (first === undefined) return;
  const [column = "id"] = table.declaration.primaryKey;
  const where = within(column, others.reduce(extended, { first, last: first }));
  // Others may have arrived since these were found.
  const left = new Set(rowIds);
  for await (const rows of table.scan({ columns: [...columns, rowId], where })) {
    for (const row of rows) if (left.delete(BigInt(row[rowId] as bigint))) yield row;
  }
  if (left.size > 0) throwRowsGone(table);
}

/** About how many bytes a row takes in memory. */
export function bytesOf(row: Row): number {
  let bytes = 0;
  for (const column in row) bytes += bytesOfCell(row[column] ?? null);
  return bytes;
}

function bytesOfCell(cell: Cell): number {
  if (typeof cell === "string") return cell.length;
  return typeof cell === "object" && cell !== null ? cell.byteLength : 8;
}

/** Rows are never removed, so whoever removed one bypassed pond. */
export function throwRowsGone({ declaration }: Table): never {
  throw new StorageUnavailableError(declaration.name, "rows went away while they were read");
}
