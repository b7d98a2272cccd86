import type { Table as LanceTable } from "@lancedb/lancedb";
import type { IndexDeclaration, TableDeclaration } from "../declaration.ts";
import { isNotNull } from "../read/filter.ts";
import { toSql } from "../read/sql.ts";

/**
 * The bits that the index keeps of each number of a vector. With one bit, ten times as many vectors
 * as are wanted have to be read to find the nearest among them; with four bits, twice as many: half
 * of the time, and fewer are missed.
 */
export const bitsPerNumber = 4;

/** How many rows have a vector in a column. */
export function countVectors(
  table: TableDeclaration,
  handle: LanceTable,
  column: string,
): Promise<number> {
  return handle.countRows(toSql(isNotNull(column), table));
}

// A fold adds a segment for new rows, and a search reads each: with 33 segments it takes two and a
// half times as long.
const maxSegments = 16;

/**
 * The vector indexes to train again: those that an earlier version trained with fewer bits, because
 * with what is read now they find only three quarters of the nearest; and those with many segments,
 * which are merely slower, when indexes are brought up to date anyway.
 */
export async function vectorIndexesToRetrain(
  table: TableDeclaration,
  handle: LanceTable,
  { isDue }: { readonly isDue: boolean },
): Promise<IndexDeclaration[]> {
  const declared = table.indexes.filter(({ kind }) => kind === "vector");
  if (declared.length === 0) return [];
  const worn = (await handle.listIndices()).filter(
    ({ numSegments = 1, indexDetails }) =>
      (isDue && numSegments >= maxSegments) || indexDetails?.compression?.num_bits < bitsPerNumber,
  );
  const columns = new Set(worn.map(({ columns: [column] }) => column));
  return declared.filter(({ column }) => columns.has(column));
}
