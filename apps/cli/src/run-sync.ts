import type { SessionStore } from "@pond/sessions";
import type { Source, Stage, SyncOptions, SyncProgress, SyncReport } from "@pond/sync";
import type { OpenedEmbedder } from "./embedder.ts";

export type SyncOutcome = {
  readonly report: SyncReport;
  /** Why a stage after the import did not finish. */
  readonly failure?: Error | undefined;
  /** True if somebody stopped it after the import. */
  readonly isStopped?: boolean;
};

/**
 * Runs the stages of a sync separately, so that each that fails takes down only itself: what was
 * imported is reported, and indexes are brought up to date without a model.
 */
export async function runSync(
  sessions: SessionStore,
  sources: readonly Source[],
  options: SyncOptions,
  opened: OpenedEmbedder,
): Promise<SyncOutcome> {
  const { BothFailedError, stages, sync } = await import("@pond/sync");
  const wanted = options.stages ?? stages;
  let embedded = 0;
  const onProgress = (progress: SyncProgress): void => {
    if (progress.stage === "embed") embedded = progress.stored;
    options.onProgress?.(progress);
  };
  const run = (stage: Stage): Promise<SyncReport> =>
    sync(sessions, sources, {
      ...options,
      onProgress,
      embedder: opened.embedder,
      stages: wanted.filter((each) => each === stage),
    });
  let report = await run("import");
  let failure = wanted.includes("embed") ? opened.failure : undefined;
  try {
    report = merge(report, await run("embed"));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    failure = error;
    // What was embedded until then is stored.
    report = { ...report, embedded };
  }
  if (options.signal?.aborted) return { report, failure, isStopped: true };
  try {
    return { report: merge(report, await run("update-indexes")), failure };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (options.signal?.aborted) return { report, failure, isStopped: true };
    return { report, failure: failure ? new BothFailedError(failure, error) : error };
  }
}

function merge(first: SyncReport, second: SyncReport): SyncReport {
  return {
    ...first,
    ...second,
    adapters: [...first.adapters, ...second.adapters],
    embedded: first.embedded + second.embedded,
    indexes: [...first.indexes, ...second.indexes],
    duration_ms: first.duration_ms + second.duration_ms,
  };
}
