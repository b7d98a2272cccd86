import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Table as LanceTable } from "@lancedb/lancedb";
import type { TableDeclaration } from "../declaration.ts";
import { retry } from "../engine/retry.ts";
import { nullsUntilOf } from "../engine/schema.ts";
import { isManifest, versionsFolder } from "../manifest-names.ts";
import { isGone } from "../storage/storage.ts";
import { defaultRetentionMs, type FoldPlace } from "./fold.ts";
import { healthOf, type TableHealth } from "./health.ts";
import { isTagged } from "./tagged.ts";

/** What may be removed. */
export type CleanOptions = {
  /** A table that was written to more recently is left alone. Default 10 minutes. */
  readonly retentionMs?: number;
  readonly signal?: AbortSignal | undefined;
};

// What takes less is not worth a look at who else writes.
const leastBytes = 512 * 1024;
/** The engine joins fragments of fewer rows. */
const rowsOfFragment = 1024 * 1024;

/**
 * Removes the files that a fold left for whoever was reading them: as many bytes as the table has.
 * Only in a folder, and only before anything is written on top: the engine removes nothing without
 * joining fragments, which would leave as much again.
 *
 * @returns True where there were any.
 */
export async function clean(
  table: TableDeclaration,
  handle: LanceTable,
  { location, home }: FoldPlace,
  flush: () => Promise<void>,
  { retentionMs = defaultRetentionMs, signal }: CleanOptions = {},
): Promise<boolean> {
  const cleanupOlderThan = new Date(Date.now() - retentionMs);
  if (home === undefined || !(await isSuperseded(home, cleanupOlderThan.getTime()))) return false;
  const place = { table: table.name, location };
  const options = { signal, refresh: () => handle.checkoutLatest() };
  // Of what is half stored anew the engine would join the rest, which only few rows at once can be
  // read of.
  const isHalf = async (): Promise<boolean> =>
    nullsUntilOf(await handle.schema(), table) !== undefined;
  if (await retry(place, isHalf, options)) return false;
  const health = await retry(place, () => healthOf(table, handle), options);
  if (!isJoined(health) || (await bytesIn(home)) - health.bytes < leastBytes) return false;
  if (await retry(place, () => isTagged(handle), options)) return false;
  await flush();
  await retry(place, () => handle.optimize({ cleanupOlderThan }), options);
  return true;
}

/** True where there is more than the newest version, and that is no newer than this. */
async function isSuperseded(home: string, beforeMs: number): Promise<boolean> {
  const folder = versionsFolder(home);
  const [newest, older] = (await readdir(folder)).filter(isManifest).sort();
  if (newest === undefined || older === undefined) return false;
  // The clock that it is compared with tells no less than a millisecond.
  return Math.floor((await stat(join(folder, newest))).mtimeMs) <= beforeMs;
}

/** True where the engine would find no fragments to join, and no index to grow. */
function isJoined({ rows, fragments, indexes }: TableHealth): boolean {
  const isCovered = indexes.every(({ unindexedRows }) => unindexedRows === 0);
  return isCovered && fragments <= 1 + Math.floor(rows / rowsOfFragment);
}

async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    try {
      if (entry.isDirectory()) bytes += await bytesIn(path);
      else if (entry.isFile()) bytes += (await stat(path)).size;
    } catch (error) {
      // Another process cleans up.
      if (!isGone(error)) throw error;
    }
  }
  return bytes;
}
