import type { Row, Store } from "@pond/substrate";
import { withParts } from "./grouped-rows.ts";
import type { Places } from "./places.ts";
import type { Range } from "./ranges.ts";
import { RowWriters } from "./row-writer.ts";
import { sortedRows } from "./sorted-rows.ts";
import type { TableName } from "./tables.ts";
import type { WholeRows } from "./whole-rows.ts";

export type AppendOptions = {
  /** Where the rows are that are copied. */
  readonly places: Places;
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
  { sessionIds }: Range,
  { places, whole, columnsOf, signal, onRow, onRows }: AppendOptions,
): Promise<void> {
  await using writers = new RowWriters(to, { columnsOf, isNew: true, signal, onWritten: onRows });
  const read = (name: TableName): AsyncGenerator<Row> =>
    whole.of(name, sortedRows({ store: from, places, name }, columnsOf(name), sessionIds));
  const write = async (name: TableName, row: Row): Promise<void> => {
    signal?.throwIfAborted();
    onRow(name, row);
    await writers.of(name).add(row);
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
  await writers.finish();
}
