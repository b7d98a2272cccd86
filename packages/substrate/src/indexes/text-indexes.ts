import type { Table as LanceTable } from "@lancedb/lancedb";
import type { FullTextIndex, TableDeclaration } from "../declaration.ts";
import { retry } from "../engine/retry.ts";
import { columnsWithNulls } from "../engine/schema.ts";
import { isNotNull } from "../read/filter.ts";
import { toSql } from "../read/sql.ts";
import { refresh } from "./lost-indexes.ts";

// Indexing so many takes a second or two, at the usual length of messages.
const maxTextsAtOnce = 10_000;

/**
 * The missing full-text indexes to make at once, because few rows have a text. Without its index a
 * column is searched by another tokenizer, which finds other rows. Larger ones wait for a fold.
 */
export async function textIndexesToMake(
  table: TableDeclaration,
  handle: LanceTable,
  location: string,
): Promise<FullTextIndex[]> {
  const place = { table: table.name, location };
  const options = { refresh: () => refresh(table, handle) };
  const withNulls = columnsWithNulls(await retry(place, () => handle.schema(), options), table);
  const few: FullTextIndex[] = [];
  for (const index of await retry(place, () => missingTextIndexes(table, handle), options)) {
    // Making it would read many rows at once.
    if (withNulls.includes(index.column)) continue;
    const hasText = toSql(isNotNull(index.column), table);
    const texts = await retry(place, () => handle.countRows(hasText), options);
    if (texts <= maxTextsAtOnce) few.push(index);
  }
  return few;
}

/** The full-text indexes that are declared but missing, or that lack the positions of words. */
export async function missingTextIndexes(
  table: TableDeclaration,
  handle: LanceTable,
): Promise<FullTextIndex[]> {
  const declared = table.indexes.filter((index) => index.kind === "full-text");
  if (declared.length === 0) return [];
  const stored = (await handle.listIndices()).filter(({ indexType }) => indexType === "FTS");
  return declared.filter(({ column, hasPositions }) => {
    const known = stored.find(({ columns }) => columns[0] === column);
    return known === undefined || (hasPositions && !known.indexDetails?.with_position);
  });
}
