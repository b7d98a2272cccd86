import type { Row, Store } from "@pond/substrate";
import { withParts } from "./grouped-rows.ts";
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
  const writers = new Map<TableName, RowWriter>();
  const read = (name: TableName): AsyncGenerator<Row> => {
    const init = { columns: columnsOf(name), isNew: true, signal, onWritten: onRows };
    writers.set(name, new RowWriter(to.table(name), init));
    return whole.of(name, readRows(from.table(name), init.columns, found.get(name) ?? []));
  };
  const write = async (name: TableName, row: Row): Promise<void> => {
    signal?.throwIfAborted();
    onRow(name, row);
    await writers.get(name)?.add(row);
  };
  for await (const row of read("sessions")) await write("sessions", row);
  // Together: a message tells by its digest what its parts have to be.
  for await (const { message, parts } of withParts(read("messages"), read("parts"))) {
    if (message) {
      await whole.check(message, parts);
      await write("messages", message);
    }
    for (const part of parts) await write("parts", part);
  }
  for await (const row of read("windows")) await write("windows", row);
  for (const writer of writers.values()) await writer.finish();
}
