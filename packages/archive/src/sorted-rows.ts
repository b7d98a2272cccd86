import { eq, type Row, rowId, type Store, type Table } from "@pond/substrate";
import { compareKeys, keyOf } from "./key-order.ts";
import { type Chunk, RowReader, rowsOfChunks, throwRowsGone } from "./read-rows.ts";
import type { RowLocations } from "./row-locations.ts";
import type { TableName } from "./tables.ts";

/** A table, and where its rows are. */
export type LocatedTable = {
  readonly store: Store;
  readonly locations: RowLocations;
  readonly name: TableName;
};

/**
 * The rows of sessions, in the order of their keys.
 *
 * @param sessionIds - In order.
 * @param onRead - Awaited after some were read, before they come.
 */
export function sortedRows(
  located: LocatedTable,
  columns: readonly string[],
  sessionIds: Iterable<string>,
  onRead?: () => Promise<void>,
): AsyncGenerator<Row> {
  return rowsOfChunks(sortedChunks(located, columns, sessionIds), onRead);
}

/**
 * Sessions that fit into one read are sorted afterwards; for a larger one, the keys are read first.
 */
async function* sortedChunks(
  { store, locations, name }: LocatedTable,
  columns: readonly string[],
  sessionIds: Iterable<string>,
): AsyncGenerator<Chunk> {
  const table = store.table(name);
  const reader = new RowReader(table, columns);
  let some: bigint[] = [];
  for (const sessionId of sessionIds) {
    const own = locations.rowIds(name, [sessionId]);
    if (some.length > 0 && some.length + own.length > reader.count) {
      yield sorted(table, await reader.read(some));
      some = [];
    }
    if (own.length <= reader.count) some.push(...own);
    else yield* reader.chunks(await sortedIds(table, sessionId, own));
  }
  if (some.length > 0) yield sorted(table, await reader.read(some));
}

function sorted({ declaration }: Table, { rows, bytes }: Chunk): Chunk {
  return { rows: byKey(rows, declaration.primaryKey), bytes };
}

/** The ids of the rows of one session, in the order of their keys. */
async function sortedIds(
  table: Table,
  sessionId: string,
  rowIds: readonly bigint[],
): Promise<bigint[]> {
  const { primaryKey } = table.declaration;
  const [column = "id"] = primaryKey;
  const wanted = new Set(rowIds);
  const where = eq(column, sessionId);
  const rows = await table.rows({ columns: [...primaryKey, rowId], where });
  // Others may have arrived since these were found.
  const own = rows.filter((row) => wanted.has(rowIdOf(row)));
  if (own.length < wanted.size) throwRowsGone(table);
  return byKey(own, primaryKey).map(rowIdOf);
}

function rowIdOf(row: Row): bigint {
  return BigInt(row[rowId] as bigint);
}

function byKey(rows: readonly Row[], primaryKey: readonly string[]): Row[] {
  return rows
    .map((row) => ({ key: keyOf(row, primaryKey), row }))
    .sort((left, right) => compareKeys(left.key, right.key))
    .map(({ row }) => row);
}
