import { foldSessions, type SessionStore } from "@pond/sessions";
import { mending, type SyncProgress } from "./progress.ts";

/** The outcome of index maintenance for one table. */
export type IndexReport = {
  readonly table: string;
  /**
   * Columns whose index was made over all rows: for the first time, or because it was far behind.
   */
  readonly created: readonly string[];
  /** True if fragments were compacted and indexes brought up to date. */
  readonly folded: boolean;
};

/** How thorough the fold is, and who is told. */
export type FoldIndexesOptions = {
  /** Folds although it does not pay off yet. */
  readonly isForced?: boolean;
  /** Called as tables are done. */
  readonly onProgress?: (progress: SyncProgress) => void;
  readonly signal?: AbortSignal | undefined;
};

/**
 * The update-indexes stage (`lance-index-maintenance`). Tables are folded once enough rows have
 * arrived; search is complete without it, only slower.
 */
export async function foldIndexes(
  sessions: SessionStore,
  { isForced = false, onProgress, signal }: FoldIndexesOptions = {},
): Promise<IndexReport[]> {
  const outcomes = await foldSessions(sessions, {
    ...{ isForced, signal },
    onTable: (table) => onProgress?.({ stage: "update-indexes", table }),
    onRewrite: (table, progress) => onProgress?.(mending(table, progress)),
  });
  return outcomes.map(({ table, created, isFolded }) => ({ table, created, folded: isFolded }));
}
