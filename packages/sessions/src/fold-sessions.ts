import type { FoldOutcome, MendProgress } from "@pond/substrate";
import { fillHeads } from "./search/heads.ts";
import type { SessionStore } from "./session-store.ts";
import { sessionTables } from "./tables.ts";

/** How thorough the fold is, and who is told. */
export type FoldSessionsOptions = {
  /** Fold although it does not pay yet. */
  readonly isForced?: boolean;
  /** Told of each table before it is folded. */
  readonly onTable?: (table: string) => void;
  /** Told how far it is with what an earlier version stored of a table, where it stores that anew. */
  readonly onMend?: (table: string, progress: MendProgress) => void;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Removes what earlier folds left for whoever was reading it. For before anything is stored: once
 * there is something to fold, nothing can be removed without rewriting the rest.
 */
export async function cleanSessions({ store }: SessionStore, signal?: AbortSignal): Promise<void> {
  for (const { name } of sessionTables) {
    signal?.throwIfAborted();
    await store.table(name).clean({ signal });
  }
}

/**
 * Folds the tables where enough has come in (`lance-index-maintenance`), and gives messages the
 * heads they lack. Search is complete without it, only slower.
 */
export async function foldSessions(
  sessions: SessionStore,
  { isForced = false, onTable, onMend, signal }: FoldSessionsOptions = {},
): Promise<FoldOutcome[]> {
  const { store } = sessions;
  const outcomes: FoldOutcome[] = [];
  for (const { name } of sessionTables) {
    signal?.throwIfAborted();
    onTable?.(name);
    const onMendOf = (progress: MendProgress): void => onMend?.(name, progress);
    outcomes.push(await store.table(name).fold({ isForced, onMend: onMendOf, signal }));
  }
  const messages = store.table("messages");
  // Of any table: a fold that was stopped behind the messages does not touch these again.
  const isTouched = outcomes.some(({ created, isFolded }) => isFolded || created.length > 0);
  // What sets columns takes rows out of the index of their keys.
  if ((isTouched || messages.isUpgraded) && (await fillHeads(sessions, signal)) > 0) {
    await messages.fold({ signal });
  }
  return outcomes;
}
