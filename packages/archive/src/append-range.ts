import type { Row, Store } from "@pond/substrate";
import type { Range } from "./ranges.ts";
import { readRows } from "./read-rows.ts";
import { RowWriter } from "./row-writer.ts";
import { sortedRowIds } from "./sorted-rows.ts";
import { readOrder, type TableName } from "./tables.ts";
import type { WholeRows } from "./whole-rows.ts";

export type AppendOptions = {
  readonly whole: WholeRows;
  /** Columns to copy, by table. */
  readonly columnsOf: (table: string) => readonly string[];
  readonly signal?: AbortSignal | undefined;
  /** Told of each row before it is written, in the order of the keys. */
  readonly onRow: (table: string, row: Row) => void;
  readonly onRows: (rows: number) => void;
};

/**
 * Copies a range, in the order of the keys, into a store without indexes, of which the caller is the
 * only writer, and which has nothing of the range.
 */
export async function appendRange(
  from: Store,
  to: Store,
  range: Range,
  { whole, columnsOf, signal, onRow, onRows }: AppendOptions,
): Promise<void> {
  const found = new Map<TableName, readonly bigint[]>();
  for (const name of readOrder) {
    signal?.throwIfAborted();
    // What was read before may be newer than what this handle last saw.
    await from.table(name).refresh();
    found.set(name, await sortedRowIds(from.table(name), range));
  }
  for (const [name, rowIds] of found) {
    const columns = columnsOf(name);
    const init = { columns, isNew: true, signal, onWritten: onRows };
    const writer = new RowWriter(to.table(name), init);
    for await (const row of whole.of(name, readRows(from.table(name), columns, rowIds))) {
      signal?.throwIfAborted();
      onRow(name, row);
      await writer.add(row);
    }
    await writer.finish();
  }
}
