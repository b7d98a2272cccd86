import type { Table as LanceTable } from "@lancedb/lancedb";
import type { TableDeclaration } from "../declaration.ts";
import { inBatchesOf } from "../engine/lance.ts";
import { retry } from "../engine/retry.ts";
import { columnsWithNulls, sparseColumns, withoutNulls } from "../engine/schema.ts";
import { ConflictError } from "../errors.ts";
import { refresh } from "../indexes/lost-indexes.ts";
import { batchesOf, selected, withoutNullsSql } from "../read/with-nulls.ts";

// Each of a batch's rows may take what the longest value does, and the engine reads some ahead.
const batchBytes = 16 * 1024 * 1024;
const rowsAtMost = 1024;
// Each writes the whole table, and leaves it lying there where another writer was faster.
const maxAttempts = 2;

export type ReplaceNullsOptions = {
  /** Also in columns that say they hold none. */
  readonly isDoubted?: boolean;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Stores what stands for none in place of the nulls of sparse columns, which an earlier version of the
 * consumer stored. That rewrites every row, once, in one commit; what a row holds stays as it is, and
 * an index of another column that covers every row still does, but for one of vectors.
 *
 * @returns `none` where there are no such columns; `later` where others wrote all the while, as who
 *   embeds a whole store does for hours: nothing is changed then.
 */
export async function replaceNulls(
  table: TableDeclaration,
  handle: LanceTable,
  location: string,
  { isDoubted = false, signal }: ReplaceNullsOptions = {},
): Promise<"none" | "replaced" | "later"> {
  const place = { table: table.name, location };
  const options = { signal, refresh: () => refresh(table, handle) };
  const replace = (): Promise<string[]> => replaceOnce(table, handle, isDoubted);
  try {
    const columns = await retry(place, replace, { ...options, maxAttempts });
    if (columns.length === 0) return "none";
    const said = columns.map((path) => ({ path, metadata: { [withoutNulls]: "true" } }));
    await retry(place, () => handle.updateFieldMetadata(said), options);
    return "replaced";
  } catch (error) {
    if (error instanceof ConflictError) return "later";
    throw error;
  }
}

/** @returns The columns that may have held nulls. */
async function replaceOnce(
  table: TableDeclaration,
  handle: LanceTable,
  isDoubted: boolean,
): Promise<string[]> {
  // Asked each time: another process may have been there.
  const columns = isDoubted ? sparseColumns(table) : columnsWithNulls(await handle.schema(), table);
  if (columns.length === 0 || (await handle.countRows()) === 0) return columns;
  const longest = await longestOf(table, handle, columns);
  const rows = Math.min(Math.max(Math.floor(batchBytes / longest), 1), rowsAtMost);
  const valuesSql = new Map(columns.map((name) => [name, withoutNullsSql(table, name)]));
  await inBatchesOf(rows, () => handle.update({ valuesSql }));
  return columns;
}

/** How many bytes the longest value of some columns has, or as many as a few of them. */
async function longestOf(
  table: TableDeclaration,
  handle: LanceTable,
  columns: readonly string[],
): Promise<number> {
  let longest = 1;
  const query = handle.query().select(selected(table, columns, columns));
  for await (const batch of batchesOf(query, columns)) {
    // Few values together are as long as the longest of them, or longer.
    for (const { data } of columns.flatMap((name) => batch.getChild(name) ?? [])) {
      longest = Math.max(longest, data[0]?.values.length ?? 0);
    }
    // With such a one rows are read one by one, whatever comes.
    if (longest > batchBytes / 2) break;
  }
  return longest;
}
