import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Table as LanceTable } from "@lancedb/lancedb";
import type { TableDeclaration } from "../declaration.ts";
import { retry } from "../engine/retry.ts";
import { nullsUntilOf } from "../engine/schema.ts";
import { isManifest, versionsFolder } from "../manifest-names.ts";
import { isFileNotFound } from "../storage/storage.ts";
import { isClockAhead } from "./clock.ts";
import { defaultRetentionMs, type FoldPlace } from "./fold.ts";
import { healthOf, type TableHealth } from "./health.ts";
import { isTagged } from "./tagged.ts";

/** Limits for what may be removed. */
export type CleanOptions = {
  /** A table that was written to more recently than this is left alone. Default: 10 minutes. */
  readonly retentionMs?: number;
  readonly signal?: AbortSignal | undefined;
};

// Less is not worth checking who else writes.
const minRemovableBytes = 512 * 1024;
/** The engine joins fragments with fewer rows than this. */
const maxJoinedRows = 1024 * 1024;

/**
 * Removes the files that a fold left for processes that were reading them: as many bytes as the
 * table has. Only in a folder, and only before something is written on top: the engine removes
 * nothing without joining fragments, which would leave as much again.
 *
 * @returns True if there were any.
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
  // In a table that is half rewritten, the engine would join the rest, of which only few rows can
  // be read at once.
  const isHalfRewritten = async (): Promise<boolean> =>
    nullsUntilOf(await handle.schema(), table) !== undefined;
  if (await retry(place, isHalfRewritten, options)) return false;
  const health = await retry(place, () => healthOf(table, handle), options);
  if (!isCompacted(health) || (await bytesIn(home)) - health.bytes < minRemovableBytes)
    return false;
  if (await retry(place, () => isTagged(handle), options)) return false;
  if (await isClockAhead(home)) return false;
  await flush();
  await retry(place, () => handle.optimize({ cleanupOlderThan }), options);
  return true;
}

/** True if there are versions besides the newest, and the newest is no younger than this. */
async function isSuperseded(home: string, beforeMs: number): Promise<boolean> {
  const folder = versionsFolder(home);
  const [newest, older] = (await readdir(folder)).filter(isManifest).sort();
  if (newest === undefined || older === undefined) return false;
  // The clock that it is compared with has a resolution of a millisecond.
  return Math.floor((await stat(join(folder, newest))).mtimeMs) <= beforeMs;
}

/** True if the engine would find no fragments to join and no index to extend. */
function isCompacted({ rows, fragments, indexes }: TableHealth): boolean {
  const isCovered = indexes.every(({ unindexedRows }) => unindexedRows === 0);
  return isCovered && fragments <= 1 + Math.floor(rows / maxJoinedRows);
}

async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    try {
      if (entry.isDirectory()) bytes += await bytesIn(path);
      else if (entry.isFile()) bytes += (await stat(path)).size;
    } catch (error) {
      // Another process is cleaning up.
      if (!isFileNotFound(error)) throw error;
    }
  }
  return bytes;
}
