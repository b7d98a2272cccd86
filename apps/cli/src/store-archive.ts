import type { ArchiveSummary, OpenOptions } from "@pond/archive";
import type { SessionStore } from "@pond/sessions";
import { showArchive } from "./archive-progress.ts";
import { createBatchCaches } from "./batch-caches.ts";
import { type Context, warnOfHeal } from "./context.ts";
import { type CopyJson, toCopyJson } from "./copy-report.ts";
import { cacheDirectory, makeDataFolder } from "./directories.ts";
import { formatCounted } from "./output/numbers.ts";
import { printWrapped } from "./output/print-wrapped.ts";
import type { ProgressLine } from "./output/progress.ts";
import { safe } from "./output/safe-text.ts";
import { describeArchiveRedaction } from "./redaction.ts";

/** The content of an archive, in the form for scripts. */
export type ArchiveJson = Omit<ArchiveSummary, "storeId"> & { readonly store_id: string };

/**
 * Stores the sessions of an archive. The store is made only after the whole archive was verified.
 */
export async function storeArchive(
  context: Context,
  file: string,
  progress: ProgressLine,
  signal: AbortSignal | undefined,
): Promise<CopyJson> {
  const { importArchive } = await import("@pond/archive");
  const { openSessions } = await import("@pond/sessions");
  const { location, storageOptions, directories } = context.settings;
  const open = async (): Promise<SessionStore> => {
    const caches = await createBatchCaches();
    const options = { storageOptions, onHeal: warnOfHeal(context), caches };
    makeDataFolder(location, directories);
    return openSessions(location, { ...options, mode: "write" });
  };
  const opening = openOptionsOf(context, progress, signal);
  return toCopyJson(await importArchive(file, open, { ...opening, now: context.now }));
}

/** Verifies everything that storing it would, and stores nothing. */
export async function checkArchive(
  context: Context,
  file: string,
  progress: ProgressLine,
  signal: AbortSignal | undefined,
): Promise<ArchiveJson> {
  const { verifyArchive } = await import("@pond/archive");
  const opening = openOptionsOf(context, progress, signal);
  const { storeId, ...rest } = await verifyArchive(file, opening);
  return { store_id: storeId, ...rest };
}

export function printArchive({ output }: Context, { rows, redacted }: ArchiveJson): void {
  if (output.isQuiet) return;
  const sessions = formatCounted(rows["sessions"] ?? 0, "session");
  const messages = formatCounted(rows["messages"] ?? 0, "message");
  printWrapped(
    output,
    safe`The file is whole: ${sessions}, ${messages}. Nothing of it was stored.`,
  );
  if (redacted) output.note(describeArchiveRedaction(redacted));
}

/** Where an archive is unpacked temporarily, and where its progress is shown. */
function openOptionsOf(
  { env, home }: Context,
  progress: ProgressLine,
  signal: AbortSignal | undefined,
): OpenOptions {
  // Not in the system's folder for such files, which may be in memory: archives are large.
  const temporaryFolder = cacheDirectory(env, home);
  return { temporaryFolder, signal, onProgress: (each) => showArchive(progress, each) };
}
