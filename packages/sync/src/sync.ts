import type { SessionStore } from "@pond/sessions";
import type { Source } from "./discover.ts";
import { foldIndexes, type IndexReport } from "./fold.ts";
import { countMessages, type ImportOptions, importSessions } from "./import.ts";
import { planImport } from "./plan.ts";
import type { AdapterReport } from "./report.ts";

/** The stages of a sync, in the order they run (spec 7.8). */
export const stages = ["import", "embed", "update-indexes"] as const;

export type Stage = (typeof stages)[number];

export type SyncOptions = ImportOptions & {
  /** Which stages run; all of them when left out. */
  readonly stages?: readonly Stage[];
  /** Fold indexes although it does not pay yet. */
  readonly isFoldForced?: boolean;
};

/** What `pond sync --json` prints; fields may come, none may change. */
export type SyncReport = {
  readonly adapters: readonly AdapterReport[];
  /** Messages that got a vector. */
  readonly embedded: number;
  readonly indexes: readonly IndexReport[];
  readonly duration_ms: number;
};

/**
 * Brings a store up to date with its sources.
 *
 * @throws {ConflictError} when other writers won every race. Safe to repeat.
 * @throws {StorageUnavailableError} when storage failed after every retry.
 */
export async function sync(
  sessions: SessionStore,
  sources: readonly Source[],
  options: SyncOptions,
): Promise<SyncReport> {
  const startedMs = options.now().getTime();
  const runs = (stage: Stage): boolean => options.stages?.includes(stage) ?? true;
  const adapters = runs("import") ? await importSessions(sessions, sources, options) : [];
  const indexes = runs("update-indexes")
    ? await foldIndexes(sessions, { ...options, isForced: options.isFoldForced ?? false })
    : [];
  const duration_ms = options.now().getTime() - startedMs;
  // Nothing embeds yet, so the embed stage has nothing to do.
  return { adapters, embedded: 0, indexes, duration_ms };
}

/**
 * What a sync would read, without reading it: `new` and `grown` count sessions this machine has not
 * read and those whose files changed since. Without a store everything is new.
 */
export async function previewSync(
  sessions: SessionStore | undefined,
  sources: readonly Source[],
  options: ImportOptions,
): Promise<SyncReport> {
  const startedMs = options.now().getTime();
  const storedMessages = sessions === undefined ? 0 : await countMessages(sessions);
  const plan = await planImport(sources, { ...options, storedMessages });
  for (const { changed, seen, report } of plan.works) {
    for (const { key } of changed) {
      report.sessions[seen.get(key) === undefined ? "new" : "grown"] += 1;
    }
  }
  const duration_ms = options.now().getTime() - startedMs;
  return { adapters: [...plan.reports.values()], embedded: 0, indexes: [], duration_ms };
}
