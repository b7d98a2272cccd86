import type { ArchiveSummary, OpenOptions } from "@pond/archive";
import type { SessionStore } from "@pond/sessions";
import { showArchive } from "./archive-progress.ts";
import { createBatchCaches } from "./batch-caches.ts";
import { type Context, healed } from "./context.ts";
import { type CopyWire, toCopyWire } from "./copy-report.ts";
import { cacheDirectory } from "./directories.ts";
import { formatCounted } from "./output/numbers.ts";
import type { ProgressLine } from "./output/progress.ts";
import { say } from "./output/shown.ts";
import { tell } from "./output/tell.ts";
import { describeArchived } from "./redacted.ts";

/** The content of an archive, in the form for scripts. */
export type ArchiveWire = Omit<ArchiveSummary, "storeId"> & { readonly store_id: string };

/**
 * Stores the sessions of an archive. The store is made only after the whole archive was verified.
 */
export async function storeArchive(
  context: Context,
  file: string,
  progress: ProgressLine,
  signal: AbortSignal | undefined,
): Promise<CopyWire> {
  const { importArchive } = await import("@pond/archive");
  const { openSessions } = await import("@pond/sessions");
  const { location, storageOptions } = context.settings;
  const open = async (): Promise<SessionStore> => {
    const caches = await createBatchCaches();
    const options = { storageOptions, onHeal: healed(context), caches };
    return openSessions(location, { ...options, mode: "write" });
  };
  const opening = openingOf(context, progress, signal);
  return toCopyWire(await importArchive(file, open, { ...opening, now: context.now }));
}

/** Verifies everything that storing it would, and stores nothing. */
export async function proveArchive(
  context: Context,
  file: string,
  progress: ProgressLine,
  signal: AbortSignal | undefined,
): Promise<ArchiveWire> {
  const { verifyArchive } = await import("@pond/archive");
  const opening = openingOf(context, progress, signal);
  const { storeId, ...rest } = await verifyArchive(file, opening);
  return { store_id: storeId, ...rest };
}

export function printArchive({ output }: Context, { rows, redacted }: ArchiveWire): void {
  if (output.isQuiet) return;
  const sessions = formatCounted(rows["sessions"] ?? 0, "session");
  const messages = formatCounted(rows["messages"] ?? 0, "message");
  tell(output, say`The file is whole: ${sessions}, ${messages}. Nothing of it was stored.`);
  if (redacted) output.note(describeArchived(redacted));
}

/** Where an archive is unpacked temporarily, and where its progress is shown. */
function openingOf(
  { env, home }: Context,
  progress: ProgressLine,
  signal: AbortSignal | undefined,
): OpenOptions {
  // Not in the system's folder for such files, which may be in memory: archives are large.
  const temporaryFolder = cacheDirectory(env, home);
  return { temporaryFolder, signal, onProgress: (each) => showArchive(progress, each) };
}
