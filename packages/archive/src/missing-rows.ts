import { type Row, rowId } from "@pond/substrate";
import { type Key, keyOf, keyText } from "./key-order.ts";
import type { PlacedStore } from "./places.ts";
import { readRows, scanRows } from "./read-rows.ts";
import type { TableName } from "./tables.ts";

/** The rows of a table of some sessions that one store has, and what another has of them. */
export type MissingRows = {
  /** Those the other one lacks, by row id. */
  readonly rowIds: readonly bigint[];
  /** Their keys, as texts. */
  readonly keys: ReadonlySet<string>;
  /** Sessions of these. */
  readonly sessionIds: ReadonlySet<string>;
  /** How many it has, or is not to have. */
  readonly present: number;
  /** Sessions of which it is not to have some. */
  readonly cutSessionIds: ReadonlySet<string>;
  /** Those it has with another value, where a digest tells: their keys, as texts. */
  readonly differing: ReadonlySet<string>;
};

/** The key of a row, and the columns that were asked for. */
type KeyedRow = { readonly key: Key; readonly row: Row };

/**
 * Compares the keys of some sessions in two stores; of what the rows hold nothing is read.
 *
 * @param isLeftOut - Rows that are not missing, although they are not there.
 */
export async function missingRows(
  from: PlacedStore,
  to: PlacedStore,
  name: TableName,
  sessionIds: ReadonlySet<string>,
  isLeftOut: (key: Key) => boolean = () => false,
): Promise<MissingRows> {
  const { columns: declared } = from.store.table(name).declaration;
  const columns = Object.hasOwn(declared, "digest") ? ["digest"] : [];
  const stored = new Map<string, unknown>();
  for await (const { key, row } of keysOf(to, name, sessionIds, columns)) {
    stored.set(keyText(key), row["digest"]);
  }
  const missing: KeyedRow[] = [];
  const cutSessionIds = new Set<string>();
  const differing = new Set<string>();
  let present = 0;
  for await (const keyed of keysOf(from, name, sessionIds, columns)) {
    const known = keyText(keyed.key);
    const isThere = stored.has(known);
    if (!isThere && !isLeftOut(keyed.key)) missing.push(keyed);
    else {
      present += 1;
      if (!isThere) cutSessionIds.add(keyed.key[0] ?? "");
      if (stored.get(known) !== keyed.row["digest"]) differing.add(known);
    }
  }
  return {
    rowIds: missing.map(({ row }) => BigInt(row[rowId] as bigint)),
    keys: new Set(missing.map(({ key }) => keyText(key))),
    sessionIds: new Set(missing.map(({ key }) => key[0] ?? "")),
    present,
    cutSessionIds,
    differing,
  };
}

// Looked up by its id, a row costs as much as a scan that passes by so many.
const passedPerLookUp = 40;

/** The keys of the rows of some sessions, their ids, and some columns. */
export async function* keysOf(
  { store, places }: PlacedStore,
  name: TableName,
  sessionIds: ReadonlySet<string>,
  columns: readonly string[],
): AsyncGenerator<KeyedRow> {
  const table = store.table(name);
  const { primaryKey } = table.declaration;
  const ids = places.rowIds(name, sessionIds);
  const wanted = [...primaryKey, ...columns];
  const isMuch = ids.length * passedPerLookUp > places.rows(name);
  const rows = isMuch ? scanRows(table, wanted, ids, sessionIds) : readRows(table, wanted, ids);
  for await (const row of rows) yield { key: keyOf(row, primaryKey), row };
}
