import {
  type Cell,
  oneOf,
  type Row,
  rowId,
  StorageUnavailableError,
  type Table,
} from "@pond/substrate";
import { extended, within } from "./ranges.ts";

// How much is asked for at once. How large rows are shows only when they come.
const bytesAtOnce = 8 * 1024 * 1024;
const rowsAtFirst = 128;
const rowsAtMost = 2_000;

/** Whole rows, by their row ids and in that order. */
export async function* readRows(
  table: Table,
  columns: readonly string[],
  rowIds: readonly bigint[],
): AsyncGenerator<Row> {
  let count = rowsAtFirst;
  for (let from = 0; from < rowIds.length; ) {
    const ids = rowIds.slice(from, from + count);
    const where = oneOf(rowId, ids);
    const rows = await table.rows({ columns: [...columns, rowId], where });
    const byId = new Map(rows.map((row) => [BigInt(row[rowId] as bigint), row]));
    let bytes = 0;
    for (const id of ids) {
      const row = byId.get(id);
      if (row === undefined) throw goneError(table);
      bytes += bytesOf(row);
      yield row;
    }
    from += ids.length;
    const perRow = Math.max(1, bytes / ids.length);
    count = Math.max(1, Math.min(rowsAtMost, count * 4, Math.floor(bytesAtOnce / perRow)));
  }
}

/** Rows of some sessions, by their row ids and in any order: of few columns, and many of the table. */
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
  // Others may have come since these were found.
  const left = new Set(rowIds);
  for await (const rows of table.scan({ columns: [...columns, rowId], where })) {
    for (const row of rows) if (left.delete(BigInt(row[rowId] as bigint))) yield row;
  }
  if (left.size > 0) throw goneError(table);
}

/** About how many bytes a row takes in memory. */
export function bytesOf(row: Row): number {
  return Object.values(row).reduce<number>((sum, cell) => sum + bytesOfCell(cell), 0);
}

function bytesOfCell(cell: Cell): number {
  if (typeof cell === "string") return cell.length;
  return typeof cell === "object" && cell !== null ? cell.byteLength : 8;
}

/** Rows are never removed, so whoever removed one reached around pond. */
function goneError({ declaration }: Table): StorageUnavailableError {
  return new StorageUnavailableError(declaration.name, "rows went away while they were read");
}
