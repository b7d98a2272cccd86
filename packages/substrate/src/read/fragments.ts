import type { Table as LanceTable } from "@lancedb/lancedb";
import type { Row, TableDeclaration } from "../declaration.ts";
import { rowsOf } from "./read.ts";
import { rowAddress } from "./system-columns.ts";

/** The fragment of a row that was read with {@link rowAddress}. */
export function fragmentOf(row: Row): number {
  // The upper half is the number of the fragment, the lower that of the row in it.
  return Number(BigInt(row[rowAddress] as bigint) >> 32n);
}

/** How many rows each fragment holds. Reads no column: 0.2 s for a million rows. */
export async function fragmentsOf(
  table: TableDeclaration,
  handle: LanceTable,
): Promise<ReadonlyMap<number, number>> {
  const sizes = new Map<number, number>();
  for await (const rows of rowsOf(table, handle.query().select([rowAddress]))) {
    for (const row of rows) {
      const fragment = fragmentOf(row);
      sizes.set(fragment, (sizes.get(fragment) ?? 0) + 1);
    }
  }
  return sizes;
}
