import { fillHeads, type SessionStore, sessionTables } from "@pond/sessions";
import type { SyncProgress } from "./progress.ts";

/** What upkeep did to one table. */
export type IndexReport = {
  readonly table: string;
  /** Columns that were indexed for the first time. */
  readonly created: readonly string[];
  /** True where fragments were compacted and indexes brought up to date. */
  readonly folded: boolean;
};

/** How thorough the fold is, and who is told. */
export type FoldIndexesOptions = {
  /** Fold although it does not pay yet. */
  readonly isForced?: boolean;
  /** Told as tables are done. */
  readonly onProgress?: (progress: SyncProgress) => void;
  readonly signal?: AbortSignal | undefined;
};

/**
 * The update-indexes stage (`lance-index-maintenance`). Tables are folded where enough has come in;
 * search is complete without it, only slower.
 */
export async function foldIndexes(
  sessions: SessionStore,
  { isForced = false, onProgress, signal }: FoldIndexesOptions = {},
): Promise<IndexReport[]> {
  const reports: IndexReport[] = [];
  for (const { name: table } of sessionTables) {
    signal?.throwIfAborted();
    onProgress?.({ stage: "update-indexes", table });
    const fold = () => sessions.store.table(table).fold({ isForced, signal });
    const { created, isFolded } = await fold();
    // What sets columns takes rows out of the index of their keys.
    if (table === "messages" && isFolded && (await fillHeads(sessions, signal)) > 0) await fold();
    reports.push({ table, created, folded: isFolded });
  }
  return reports;
}
