import { type Row, rowId, type Store, type Table } from "@pond/substrate";
import { compareKeys, type Key, keyOf, keyText } from "./key-order.ts";
import { type Range, within } from "./ranges.ts";

/** The rows of a table in a range that one store has, and what another has of them. */
export type MissingRows = {
  /** Those the other one lacks, by row id, in the order of their keys. */
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
 * Compares the keys of a range in two stores; of what the rows hold nothing is read.
 *
 * @param to - Undefined where it is known to have none.
 * @param isLeftOut - Rows that are not missing, although they are not there.
 */
export async function missingRows(
  from: Store,
  to: Store | undefined,
  name: string,
  range: Range,
  isLeftOut: (key: Key) => boolean = () => false,
): Promise<MissingRows> {
  const source = from.table(name);
  const columns = Object.hasOwn(source.declaration.columns, "digest") ? ["digest"] : [];
  const stored = to ? await storedDigests(to.table(name), range, columns) : new Map();
  const missing: KeyedRow[] = [];
  const cutSessionIds = new Set<string>();
  const differing = new Set<string>();
  let present = 0;
  for await (const keyed of keysOf(source, range, [...columns, rowId])) {
    const known = keyText(keyed.key);
    const isThere = stored.has(known);
    if (!isThere && !isLeftOut(keyed.key)) missing.push(keyed);
    else {
      present += 1;
      if (!isThere) cutSessionIds.add(keyed.key[0] ?? "");
      if (stored.get(known) !== keyed.row["digest"]) differing.add(known);
    }
  }
  missing.sort((left, right) => compareKeys(left.key, right.key));
  return {
    rowIds: missing.map(({ row }) => BigInt(row[rowId] as bigint)),
    keys: new Set(missing.map(({ key }) => keyText(key))),
    sessionIds: new Set(missing.map(({ key }) => key[0] ?? "")),
    present,
    cutSessionIds,
    differing,
  };
}

async function storedDigests(
  table: Table,
  range: Range,
  columns: readonly string[],
): Promise<Map<string, unknown>> {
  const digests = new Map<string, unknown>();
  for await (const { key, row } of keysOf(table, range, columns)) {
    digests.set(keyText(key), row["digest"]);
  }
  return digests;
}

/** The keys of the rows of a range, and some columns. */
export async function* keysOf(
  table: Table,
  range: Range,
  columns: readonly string[],
): AsyncGenerator<KeyedRow> {
  const { primaryKey } = table.declaration;
  const [sessionColumn = "id"] = primaryKey;
  const options = { columns: [...primaryKey, ...columns], where: within(sessionColumn, range) };
  for await (const rows of table.scan(options)) {
    for (const row of rows) {
      const key = keyOf(row, primaryKey);
      if (range.sessionIds.has(key[0] ?? "")) yield { key, row };
    }
  }
}
