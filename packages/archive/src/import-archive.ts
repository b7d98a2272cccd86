import { foldSessions, type SessionStore, sessionTables } from "@pond/sessions";
import type { MendProgress } from "@pond/substrate";
import { type CopyOptions, type CopyReport, copySessions } from "./copy-sessions.ts";
import { type OpenOptions, withArchive } from "./open-archive.ts";
import type { Watch } from "./progress.ts";
import type { RedactedCount } from "./redaction.ts";

/** A store, or what opens it; then it is closed again. */
export type ImportTarget = SessionStore | (() => Promise<SessionStore>);

/** How an archive is read, and its sessions are copied. */
export type ImportOptions = OpenOptions & CopyOptions;

/** What an import did. */
export type ImportReport = CopyReport & {
  /** What was replaced in the archive when it was made; absent where nothing was looked for. */
  readonly redacted?: readonly RedactedCount[];
};

/**
 * Puts the sessions of an archive into a store, by the insert-if-absent of every other import: what
 * is there stays as it is, and a second import adds nothing. All of the archive is proven before
 * the first row is written, and before a store is opened by `target`. Indexes are brought up to date.
 *
 * @throws {ArchiveError} with the store as it was.
 * @throws {SubstrateError} where the store fails; the same call goes on with what is left.
 */
export async function importArchive(
  file: string,
  target: ImportTarget,
  options: ImportOptions = {},
): Promise<ImportReport> {
  return withArchive(file, options, async (store, { redacted }) => {
    const archived = { store, close: () => store.close() };
    const sessions = typeof target === "function" ? await target() : target;
    try {
      const report = await copySessions(archived, sessions, options);
      await updateIndexes(sessions, options);
      return { ...report, ...(redacted && { redacted }) };
    } finally {
      if (typeof target === "function") sessions.close();
    }
  });
}

/** Brings the indexes of a store up to date, where that pays. */
export async function updateIndexes(
  sessions: SessionStore,
  { onProgress, signal }: Watch = {},
): Promise<void> {
  let done = -1;
  const tell = (): void => onProgress?.({ step: "fold", done, total: sessionTables.length });
  const onTable = (): void => {
    done += 1;
    tell();
  };
  const onMend = (_table: string, { rows, total }: MendProgress): void => {
    if (rows < total) onProgress?.({ step: "mend", done: rows, total });
    else tell();
  };
  await foldSessions(sessions, { signal, onTable, onMend });
}
