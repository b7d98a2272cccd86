import type { Table as LanceTable } from "@lancedb/lancedb";
import type { TableDeclaration } from "../declaration.ts";
import { inBatchesOf } from "../engine/lance.ts";
import { retry } from "../engine/retry.ts";
import { columnsWithNulls, withoutNulls } from "../engine/schema.ts";
import { refresh } from "../indexes/lost-indexes.ts";
import { batchesOf, selected, withoutNullsSql } from "../read/with-nulls.ts";

// Each of a batch's rows may take what the longest value does, and the engine reads some ahead.
const batchBytes = 16 * 1024 * 1024;
const rowsAtMost = 1024;

/**
 * Stores what stands for none in place of the nulls of sparse columns, which an earlier version of the
 * consumer stored. That rewrites every row, once, in one commit; what a row holds stays as it is, and
 * an index of another column that covers every row still does.
 *
 * @returns True where there were such columns.
 */
export async function replaceNulls(
  table: TableDeclaration,
  handle: LanceTable,
  location: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const options = { signal, refresh: () => refresh(table, handle) };
  return retry({ table: table.name, location }, () => replaceOnce(table, handle), options);
}

async function replaceOnce(table: TableDeclaration, handle: LanceTable): Promise<boolean> {
  // Asked each time: another process may have been there.
  const columns = columnsWithNulls(await handle.schema(), table);
  if (columns.length === 0) return false;
  if ((await handle.countRows()) > 0) {
    const longest = await longestOf(table, handle, columns);
    const rows = Math.min(Math.max(Math.floor(batchBytes / longest), 1), rowsAtMost);
    const valuesSql = new Map(columns.map((name) => [name, withoutNullsSql(table, name)]));
    await inBatchesOf(rows, () => handle.update({ valuesSql }));
  }
  await handle.updateFieldMetadata(
    columns.map((path) => ({ path, metadata: { ...withoutNulls } })),
  );
  return true;
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
  }
  return longest;
}
