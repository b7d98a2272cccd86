import type { Table as LanceTable } from "@lancedb/lancedb";
import type { TableDeclaration } from "../declaration.ts";
import { withBatchSize } from "../engine/lance.ts";
import { retry } from "../engine/retry.ts";
import {
  columnsWithNulls,
  nullsUntilMetadata,
  nullsUntilOf,
  withNullsMetadata,
  withoutNullsMetadata,
} from "../engine/schema.ts";
import { untilAborted } from "../engine/until-aborted.ts";
import { ConflictError } from "../errors.ts";
import { healthOf } from "../indexes/health.ts";
import { createIndexes } from "../indexes/indexes.ts";
import { refresh } from "../indexes/lost-indexes.ts";
import { fragmentsOf } from "../read/fragments.ts";
import { withoutNullsSql } from "../read/with-nulls.ts";
import { type Portion, portionsOf, type RewriteTarget } from "./portions.ts";

// Each attempt writes a whole portion, and leaves it behind if another writer was faster.
const maxAttempts = 2;

/** How many rows of an earlier version are rewritten, and how many there were to rewrite. */
export type RewriteProgress = { readonly rows: number; readonly total: number };

export type ReplaceNullsOptions = {
  /**
   * Also rewrites columns that are marked as having no nulls. That mark is removed first, so that
   * others read them accordingly.
   */
  readonly isDoubted?: boolean;
  /** Called before the first portion, and after each. */
  readonly onRewrite?: ((progress: RewriteProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Replaces the nulls of sparse columns, which an earlier version of the consumer stored, with the
 * marker for no value. That rewrites every row once, a portion in each commit. The content of a row
 * stays as it is, and so does the coverage of an index of another column that covers every row,
 * except for one of vectors. If it breaks off between two portions, it continues after those that
 * are done.
 *
 * @returns `none` if there are no such columns; `later` if others wrote all the while, as embedding
 * a whole store does for hours: the rest is then as it was.
 */
export async function replaceNulls(
  table: TableDeclaration,
  handle: LanceTable,
  location: string,
  options: ReplaceNullsOptions = {},
): Promise<"none" | "replaced" | "later"> {
  const { isDoubted = false, signal } = options;
  const place = { table: table.name, location };
  const retryOptions = { signal, refresh: () => refresh(table, handle) };
  const columnsNow = async (): Promise<string[]> => columnsWithNulls(await handle.schema(), table);
  try {
    if (isDoubted) {
      await retry(place, () => handle.updateFieldMetadata(withNullsMetadata(table)), retryOptions);
    }
    const columns = await retry(place, columnsNow, retryOptions);
    if (columns.length === 0) return "none";
    const lastFragment = await retry(
      place,
      () => lastFragmentToRewrite(table, handle),
      retryOptions,
    );
    const total = await retry(place, () => rowsUntil(table, handle, lastFragment), retryOptions);
    if (total > 0) options.onRewrite?.({ rows: 0, total });
    const findPortions = (): Promise<Portion[]> =>
      portionsLeft({ table, handle, columns, lastFragment, signal }, location);
    const portions = await untilAborted(() => retry(place, findPortions, retryOptions), signal);
    // Rows that others rewrote in the meantime are in no portion.
    let left = portions.reduce((sum, { rows }) => sum + rows, 0);
    const report = (): void => options.onRewrite?.({ rows: Math.max(0, total - left), total });
    if (left < total) report();
    const valuesSql = new Map(columns.map((name) => [name, withoutNullsSql(table, name)]));
    const replace = async ({ where, rowsAtOnce }: Portion): Promise<void> => {
      // Checked each time, because another process may have done it.
      if ((await columnsNow()).length === 0) return;
      const update = where === undefined ? { valuesSql } : { valuesSql, where };
      await withBatchSize(rowsAtOnce, () => handle.update(update));
    };
    for (const portion of portions) {
      const attempt = (): Promise<void> => replace(portion);
      await untilAborted(() => retry(place, attempt, { ...retryOptions, maxAttempts }), signal);
      left -= portion.rows;
      report();
    }
    await retry(place, () => handle.updateFieldMetadata(withoutNullsMetadata(table)), retryOptions);
    return "replaced";
  } catch (error) {
    if (error instanceof ConflictError) return "later";
    throw error;
  }
}

/** The last fragment that may hold nulls; rewritten rows come after it. */
async function lastFragmentToRewrite(table: TableDeclaration, handle: LanceTable): Promise<number> {
  const said = nullsUntilOf(await handle.schema(), table);
  return said ?? Math.max(-1, ...(await fragmentsOf(table, handle)).keys());
}

async function rowsUntil(
  table: TableDeclaration,
  handle: LanceTable,
  lastFragment: number,
): Promise<number> {
  let rows = 0;
  for (const [fragment, more] of await fragmentsOf(table, handle)) {
    if (fragment <= lastFragment) rows += more;
  }
  return rows;
}

/** What is left to rewrite, without the work that a stopped process has done. */
async function portionsLeft(target: RewriteTarget, location: string): Promise<Portion[]> {
  const { table, handle, lastFragment, signal } = target;
  const portions = await portionsOf(target);
  const [first] = portions;
  if (first === undefined) return [];
  // Nothing has to be looked for.
  if (first.rows === (await handle.countRows())) return [{ ...first, where: undefined }];
  await indexKeys(table, handle, location, signal);
  if (portions.length > 1) {
    await handle.updateFieldMetadata(nullsUntilMetadata(table, lastFragment));
  }
  return portions;
}

/** Without it, each portion would be looked for in the whole table. */
async function indexKeys(
  table: TableDeclaration,
  handle: LanceTable,
  location: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const [key] = table.primaryKey;
  const { indexes } = await healthOf(table, handle);
  if (indexes.some(({ column, unindexedRows }) => column === key && unindexedRows === 0)) return;
  const index = table.indexes.filter(({ column }) => column === key);
  await createIndexes(table, handle, location, index, { signal });
}
