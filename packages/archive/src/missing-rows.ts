import { type Row, rowId } from "@pond/substrate";
import { type Key, keyOf, keyText } from "./key-order.ts";
import { readRows, scanRows } from "./read-rows.ts";
import type { LocatedStore } from "./row-locations.ts";
import type { TableName } from "./tables.ts";

/** The rows of a table, for some sessions, that one store has and another lacks. */
export type MissingRows = {
  /** By row id. */
  readonly rowIds: readonly bigint[];
  /** How many rows the other store has, or is not to have. */
  readonly present: number;
};

/** The key of a row, and the columns that were asked for. */
export type KeyedRow = { readonly key: Key; readonly row: Row };

/**
 * Compares the keys of some sessions in two stores, without reading the rows' content.
 *
 * @param isLeftOut - True for rows that do not count as missing although they are not there.
 */
export async function missingRows(
  from: LocatedStore,
  to: LocatedStore,
  name: TableName,
  sessionIds: ReadonlySet<string>,
  isLeftOut: (key: Key) => boolean,
): Promise<MissingRows> {
  const stored = new Set<string>();
  for await (const { key } of keysOf(to, name, sessionIds, [])) stored.add(keyText(key));
  const rowIds: bigint[] = [];
  let present = 0;
  for await (const { key, row } of keysOf(from, name, sessionIds, [])) {
    if (stored.has(keyText(key)) || isLeftOut(key)) present += 1;
    else rowIds.push(BigInt(row[rowId] as bigint));
  }
  return { rowIds, present };
}

// Looking up one row by its id costs as much as a scan that passes so many.
const scannedRowsPerLookup = 40;

/** The keys and ids of the rows of some sessions, and some columns. */
export async function* keysOf(
  located: LocatedStore,
  name: TableName,
  sessionIds: ReadonlySet<string>,
  columns: readonly string[],
): AsyncGenerator<KeyedRow> {
  const { store, locations, names } = located;
  const table = store.table(name);
  const { primaryKey } = table.declaration;
  const ids = locations.rowIds(name, sessionIds);
  const wanted = [...primaryKey, ...columns];
  const isScanCheaper = ids.length * scannedRowsPerLookup > locations.rows(name);
  const ownIds = [...sessionIds].map((id) => names.idOf(id));
  const rows = isScanCheaper ? scanRows(table, wanted, ids, ownIds) : readRows(table, wanted, ids);
  for await (const read of rows) {
    const row = names.renamed(name, read);
    yield { key: keyOf(row, primaryKey), row };
  }
}
