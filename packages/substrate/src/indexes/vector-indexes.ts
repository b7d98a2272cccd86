import type { Table as LanceTable } from "@lancedb/lancedb";
import type { IndexDeclaration, TableDeclaration } from "../declaration.ts";
import { isNotNull } from "../read/filter.ts";
import { toSql } from "../read/sql.ts";

/**
 * What the index keeps of each number of a vector. With one bit ten times as many vectors as are
 * wanted have to be read to find the nearest among them, with four bits twice as many: half of the
 * time, and fewer are missed.
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

/** The indexes that an earlier version trained with fewer bits: they find fewer of the nearest. */
export async function coarseVectorIndexes(
  table: TableDeclaration,
  handle: LanceTable,
): Promise<IndexDeclaration[]> {
  const declared = table.indexes.filter(({ kind }) => kind === "vector");
  if (declared.length === 0) return [];
  const coarse = (await handle.listIndices())
    .filter(({ indexDetails }) => indexDetails?.compression?.num_bits < bitsPerNumber)
    .map(({ columns }) => columns[0]);
  return declared.filter(({ column }) => coarse.includes(column));
}
