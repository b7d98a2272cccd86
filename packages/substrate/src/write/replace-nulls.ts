import type { Table as LanceTable } from "@lancedb/lancedb";
import type { TableDeclaration } from "../declaration.ts";
import { inBatchesOf } from "../engine/lance.ts";
import { retry } from "../engine/retry.ts";
import {
  columnsWithNulls,
  nullsUntilOf,
  saidNullsUntil,
  saidWithNulls,
  saidWithoutNulls,
} from "../engine/schema.ts";
import { untilAborted } from "../engine/until-aborted.ts";
import { ConflictError } from "../errors.ts";
import { healthOf } from "../indexes/health.ts";
import { createIndexes } from "../indexes/indexes.ts";
import { refresh } from "../indexes/lost-indexes.ts";
import { fragmentsOf } from "../read/fragments.ts";
import { withoutNullsSql } from "../read/with-nulls.ts";
import { type Portion, portionsOf, type Unmended } from "./portions.ts";

// Each writes all of a portion, and leaves it lying there where another writer was faster.
const maxAttempts = 2;

/** How many rows of an earlier version are stored anew, of those that were to be. */
export type MendProgress = { readonly rows: number; readonly total: number };

export type ReplaceNullsOptions = {
  /** Also in columns that say they hold none, which is taken back first: others read them then, too. */
  readonly isDoubted?: boolean;
  /** Told before the first portion, and behind each. */
  readonly onMend?: ((progress: MendProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Stores what stands for none in place of the nulls of sparse columns, which an earlier version of the
 * consumer stored. That rewrites every row, once, a portion in each commit; what a row holds stays as it
 * is, and an index of another column that covers every row still does, but for one of vectors. Broken
 * off between two portions, it goes on behind those that are done.
 *
 * @returns `none` where there are no such columns; `later` where others wrote all the while, as who
 *   embeds a whole store does for hours: what is not done yet is as it was then.
 */
export async function replaceNulls(
  table: TableDeclaration,
  handle: LanceTable,
  location: string,
  options: ReplaceNullsOptions = {},
): Promise<"none" | "replaced" | "later"> {
  const { isDoubted = false, signal } = options;
  const place = { table: table.name, location };
  const patience = { signal, refresh: () => refresh(table, handle) };
  const columnsNow = async (): Promise<string[]> => columnsWithNulls(await handle.schema(), table);
  try {
    if (isDoubted) {
      await retry(place, () => handle.updateFieldMetadata(saidWithNulls(table)), patience);
    }
    const columns = await retry(place, columnsNow, patience);
    if (columns.length === 0) return "none";
    const lastFragment = await retry(place, () => lastUnmended(table, handle), patience);
    const total = await retry(place, () => rowsUntil(table, handle, lastFragment), patience);
    if (total > 0) options.onMend?.({ rows: 0, total });
    const look = (): Promise<Portion[]> =>
      portionsLeft({ table, handle, columns, lastFragment, signal }, location);
    const portions = await untilAborted(() => retry(place, look, patience), signal);
    // What others stored anew meanwhile is in none.
    let left = portions.reduce((sum, { rows }) => sum + rows, 0);
    const tell = (): void => options.onMend?.({ rows: Math.max(0, total - left), total });
    if (left < total) tell();
    const valuesSql = new Map(columns.map((name) => [name, withoutNullsSql(table, name)]));
    const replace = async ({ where, rowsAtOnce }: Portion): Promise<void> => {
      // Asked each time: another process may have been there.
      if ((await columnsNow()).length === 0) return;
      const update = where === undefined ? { valuesSql } : { valuesSql, where };
      await inBatchesOf(rowsAtOnce, () => handle.update(update));
    };
    for (const portion of portions) {
      const attempt = (): Promise<void> => replace(portion);
      await untilAborted(() => retry(place, attempt, { ...patience, maxAttempts }), signal);
      left -= portion.rows;
      tell();
    }
    await retry(place, () => handle.updateFieldMetadata(saidWithoutNulls(table)), patience);
    return "replaced";
  } catch (error) {
    if (error instanceof ConflictError) return "later";
    throw error;
  }
}

/** The last fragment that may hold nulls: what was stored anew lies behind it. */
async function lastUnmended(table: TableDeclaration, handle: LanceTable): Promise<number> {
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

/** What is to be stored anew, without what a process that was stopped has done. */
async function portionsLeft(unmended: Unmended, location: string): Promise<Portion[]> {
  const { table, handle, lastFragment, signal } = unmended;
  const portions = await portionsOf(unmended);
  const [first] = portions;
  if (first === undefined) return [];
  // Nothing has to be looked for.
  if (first.rows === (await handle.countRows())) return [{ ...first, where: undefined }];
  await indexKeys(table, handle, location, signal);
  if (portions.length > 1) {
    await handle.updateFieldMetadata(saidNullsUntil(table, lastFragment));
  }
  return portions;
}

/** Without it each portion would be looked for in all of the table. */
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
