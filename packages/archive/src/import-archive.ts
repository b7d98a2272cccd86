import { foldSessions, type SessionStore, sessionTables } from "@pond/sessions";
import type { RewriteProgress } from "@pond/substrate";
import { type CopyOptions, type CopyReport, copySessions } from "./copy-sessions.ts";
import { type OpenOptions, withArchive } from "./open-archive.ts";
import type { ProgressOptions } from "./progress.ts";
import type { RedactedCount } from "./redaction.ts";

/** A store, or a function that opens one; the import closes what it opened. */
export type ImportTarget = SessionStore | (() => Promise<SessionStore>);

/** How an archive is read, and how its sessions are copied. */
export type ImportOptions = OpenOptions & CopyOptions;

/** The outcome of an import. */
export type ImportReport = CopyReport & {
  /** What was replaced when the archive was made; absent if nothing was looked for. */
  readonly redacted?: readonly RedactedCount[];
};

/**
 * Puts the sessions of an archive into a store. Rows are inserted if they are absent, as in every
 * other import: existing rows stay, and a second import adds nothing. The whole archive is verified
 * before the first row is written, and before `target` opens a store. Indexes are brought up to
 * date.
 *
 * @throws {ArchiveError} with the store as it was.
 * @throws {SubstrateError} if the store fails; the same call then imports the rest.
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

/** Brings the indexes of a store up to date, if that pays off. */
export async function updateIndexes(
  sessions: SessionStore,
  { onProgress, signal }: ProgressOptions = {},
): Promise<void> {
  let done = -1;
  const reportProgress = (): void =>
    onProgress?.({ step: "fold", done, total: sessionTables.length });
  const onTable = (): void => {
    done += 1;
    reportProgress();
  };
  const onRewrite = (_table: string, { rows, total }: RewriteProgress): void => {
    if (rows < total) onProgress?.({ step: "mend", done: rows, total });
    else reportProgress();
  };
  await foldSessions(sessions, { signal, onTable, onRewrite });
}
