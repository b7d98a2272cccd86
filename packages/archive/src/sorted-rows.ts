import { rowId, type Table } from "@pond/substrate";
import { compareKeys, type Key, keyOf } from "./key-order.ts";
import { type Range, within } from "./ranges.ts";

/** The ids of the rows of a range, in the order of their keys. */
export async function sortedRowIds(table: Table, range: Range): Promise<bigint[]> {
  const { primaryKey } = table.declaration;
  const [sessionColumn = "id"] = primaryKey;
  const found: { readonly key: Key; readonly id: bigint }[] = [];
  const options = { columns: [...primaryKey, rowId], where: within(sessionColumn, range) };
  for await (const rows of table.scan(options)) {
    for (const row of rows) {
      const key = keyOf(row, primaryKey);
      // Between them may be rows without a session.
      if (!range.sessionIds.has(key[0] ?? "")) continue;
      found.push({ key, id: BigInt(row[rowId] as bigint) });
    }
  }
  return found.sort((left, right) => compareKeys(left.key, right.key)).map(({ id }) => id);
}
