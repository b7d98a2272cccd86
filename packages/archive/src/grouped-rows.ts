import type { Row } from "@pond/substrate";
import { compareKeys, type Key, keyOf } from "./key-order.ts";

/** Runs of rows that are equal in some columns. */
export async function* groupedBy(
  rows: AsyncGenerator<Row>,
  columns: readonly string[],
): AsyncGenerator<{ readonly key: Key; readonly rows: readonly Row[] }> {
  let key: Key = [];
  let group: Row[] = [];
  for await (const row of rows) {
    const next = keyOf(row, columns);
    if (group.length > 0 && compareKeys(key, next) !== 0) {
      yield { key, rows: group };
      group = [];
    }
    key = next;
    group.push(row);
  }
  if (group.length > 0) yield { key, rows: group };
}
