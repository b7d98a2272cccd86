import type { Embedder } from "@pond/embed";
import { cleanSessions, type SessionStore } from "@pond/sessions";
import type { Source } from "./discover.ts";
import { type EmbedReport, embedMessages, previewEmbedding } from "./embed.ts";
import { failAfter } from "./errors.ts";
import { foldIndexes, type IndexReport } from "./fold.ts";
import { type ImportOptions, importSessions, previewImport } from "./import.ts";
import type { AdapterReport } from "./report.ts";

/** The stages of a sync, in the order they run (spec 7.8). */
export const stages = ["import", "embed", "update-indexes"] as const;

/** One stage of a sync. */
export type Stage = (typeof stages)[number];

/** Which stages run, and how. */
export type SyncOptions = ImportOptions & {
  /** Which stages run; all of them if left out. */
  readonly stages?: readonly Stage[];
  /** Turns texts into vectors. Without it nothing is embedded and no model is loaded. */
  readonly embedder?: Embedder | undefined;
  /** Embeds every message again. */
  readonly isEmbedForced?: boolean;
  /** Folds indexes although it does not pay off yet. */
  readonly isFoldForced?: boolean;
};

/** What `pond sync --json` prints. Fields may be added, but none may change. */
export type SyncReport = {
  readonly adapters: readonly AdapterReport[];
  /** Messages that got a vector. */
  readonly embedded: number;
  /** The outcome of the embed stage; absent if there is no embedder. */
  readonly embedding?: EmbedReport;
  readonly indexes: readonly IndexReport[];
  readonly duration_ms: number;
};

/**
 * Brings a store up to date with its sources.
 *
 * @throws The embedder's error if nothing can be embedded; what was imported is stored.
 * @throws {BothFailedError} if the indexes could not be brought up to date after that, either.
 * @throws What kept files of an earlier fold from being removed; everything else is done.
 * @throws {ConflictError} if other writers won every race. It is safe to repeat.
 * @throws {StorageUnavailableError} if storage failed after every retry.
 */
export async function sync(
  sessions: SessionStore,
  sources: readonly Source[],
  options: SyncOptions,
): Promise<SyncReport> {
  if (!runs(options, "import")) return runStages(sessions, sources, options);
  try {
    await cleanSessions(sessions, options.signal);
  } catch (error) {
    options.signal?.throwIfAborted();
    // Files that only take up room keep nothing from being stored.
    return failAfter(error, () => runStages(sessions, sources, options), options.signal);
  }
  return runStages(sessions, sources, options);
}

async function runStages(
  sessions: SessionStore,
  sources: readonly Source[],
  options: SyncOptions,
): Promise<SyncReport> {
  const startedMs = options.now().getTime();
  const fold = async (): Promise<IndexReport[]> =>
    runs(options, "update-indexes")
      ? foldIndexes(sessions, { ...options, isForced: options.isFoldForced ?? false })
      : [];
  const adapters = runs(options, "import") ? await importSessions(sessions, sources, options) : [];
  let embedding: EmbedReport | undefined;
  if (options.embedder && runs(options, "embed")) {
    // Before the fold, which then finds everything; and the fragments of an import are cheaper to
    // write to than the one that a fold makes of them.
    const stage = { ...options, isForced: options.isEmbedForced ?? false };
    try {
      embedding = await embedMessages(sessions, options.embedder, stage);
    } catch (error) {
      // What was imported is indexed although its vectors are missing.
      await failAfter(error, fold, options.signal);
    }
  }
  // If embedding was interrupted, the report says how much is left.
  const isInterrupted = embedding !== undefined && options.signal?.aborted;
  const indexes = isInterrupted ? [] : await fold();
  return {
    adapters,
    embedded: embedding?.embedded ?? 0,
    ...(embedding && { embedding }),
    indexes,
    duration_ms: options.now().getTime() - startedMs,
  };
}

/**
 * What a sync would do, without doing it. `new` and `grown` count sessions that this machine has
 * not read and those whose files changed since; without a store everything is new. With an
 * embedder, `embedding.remaining` counts the stored messages that it would embed; how many there
 * are in the sessions to be read is not known beforehand.
 */
export async function previewSync(
  sessions: SessionStore | undefined,
  sources: readonly Source[],
  options: SyncOptions,
): Promise<SyncReport> {
  const startedMs = options.now().getTime();
  const { embedder, isEmbedForced = false } = options;
  const adapters = runs(options, "import") ? await previewImport(sessions, sources, options) : [];
  const embedding =
    embedder && runs(options, "embed")
      ? await previewEmbedding(sessions, embedder, isEmbedForced)
      : undefined;
  const duration_ms = options.now().getTime() - startedMs;
  return { adapters, embedded: 0, ...(embedding && { embedding }), indexes: [], duration_ms };
}

function runs({ stages }: SyncOptions, stage: Stage): boolean {
  return stages?.includes(stage) ?? true;
}
