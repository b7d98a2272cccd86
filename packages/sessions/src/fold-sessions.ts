import type { FoldOutcome, RewriteProgress } from "@pond/substrate";
import { fillHeads } from "./search/heads.ts";
import type { SessionStore } from "./session-store.ts";
import { sessionTables } from "./tables.ts";

/** How thorough the fold is, and who is told. */
export type FoldSessionsOptions = {
  /** Folds although it does not pay off yet. */
  readonly isForced?: boolean;
  /** Called with each table before it is folded. */
  readonly onTable?: (table: string) => void;
  /**
   * Called with the progress of rewriting what an earlier version stored in a table, if that is
   * necessary.
   */
  readonly onRewrite?: (table: string, progress: RewriteProgress) => void;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Removes what earlier folds left for processes that were reading it. Call it before anything is
 * stored: once there is something to fold, nothing can be removed without rewriting the rest.
 */
export async function cleanSessions({ store }: SessionStore, signal?: AbortSignal): Promise<void> {
  for (const { name } of sessionTables) {
    signal?.throwIfAborted();
    await store.table(name).clean({ signal });
  }
}

/**
 * Folds the tables that enough rows have come into (`lance-index-maintenance`), and gives messages
 * the heads they lack. Search is complete without it, only slower.
 */
export async function foldSessions(
  sessions: SessionStore,
  { isForced = false, onTable, onRewrite, signal }: FoldSessionsOptions = {},
): Promise<FoldOutcome[]> {
  const { store } = sessions;
  const outcomes: FoldOutcome[] = [];
  for (const { name } of sessionTables) {
    signal?.throwIfAborted();
    onTable?.(name);
    const onRewriteOf = (progress: RewriteProgress): void => onRewrite?.(name, progress);
    outcomes.push(await store.table(name).fold({ isForced, onRewrite: onRewriteOf, signal }));
  }
  const messages = store.table("messages");
  // For any table: a fold that was stopped after the messages does not touch these again.
  const isTouched = outcomes.some(({ created, isFolded }) => isFolded || created.length > 0);
  // Setting columns takes rows out of the index of their keys.
  if ((isTouched || messages.isUpgraded) && (await fillHeads(sessions, signal)) > 0) {
    await messages.fold({ signal });
  }
  return outcomes;
}
