import type { SourceSession } from "@pond/canonical/adapter";
import { createIngest, type Ingest, type SessionStore } from "@pond/sessions";
import { countOutcome } from "./count-outcome.ts";
import type { Source } from "./discover.ts";
import { emptyNotes, observeRead } from "./observed-read.ts";
import { type Plan, planImport, type Work } from "./plan.ts";
import type { SyncProgress } from "./progress.ts";
import type { AdapterReport } from "./report.ts";
import { storedMessages } from "./stored-messages.ts";

export type ImportOptions = {
  /** Where this machine keeps what it saw, for this one store. */
  readonly stateDirectory: string;
  /** Name of this machine, kept with each session. */
  readonly host: string;
  readonly now: () => Date;
  /** Read every session again and compare it with what is stored. */
  readonly isVerifying?: boolean;
  readonly onProgress?: (progress: SyncProgress) => void;
  readonly signal?: AbortSignal | undefined;
};

// Saving after every batch would rewrite a big state file for each of thousands of small ones.
const saveEveryMs = 5_000;

/**
 * Reads the sessions that changed since this machine last read them into the store. Stopping it in
 * any way is safe: what was acknowledged is stored, the rest is read next time.
 *
 * @returns One report for each adapter, in the order of `sources`.
 */
export async function importSessions(
  sessions: SessionStore,
  sources: readonly Source[],
  options: ImportOptions,
): Promise<AdapterReport[]> {
  const plan = await planImport(sources, {
    ...options,
    storedMessages: await storedMessages(sessions),
  });
  if (plan.sessionsTotal > 0) await importPlanned(sessions, plan, options);
  await Promise.all(plan.works.map(({ seen }) => seen.save()));
  return [...plan.reports.values()];
}

async function importPlanned(
  sessions: SessionStore,
  plan: Plan,
  options: ImportOptions,
): Promise<void> {
  const ingest = createIngest(sessions, { host: options.host, now: options.now });
  const progress = createTracker(plan, options);
  let savedAtMs = options.now().getTime();
  try {
    for (const work of plan.works) {
      for (const session of work.changed) {
        options.signal?.throwIfAborted();
        await importSession(ingest, work, session, progress, options);
        if (options.now().getTime() - savedAtMs < saveEveryMs) continue;
        await work.seen.save();
        savedAtMs = options.now().getTime();
      }
    }
  } finally {
    await ingest.finish();
    const stored = await storedMessages(sessions);
    await Promise.all(plan.works.map(({ seen }) => seen.save(stored)));
  }
}

async function importSession(
  ingest: Ingest,
  { source, seen, report }: Work,
  listed: SourceSession,
  progress: Tracker,
  options: ImportOptions,
): Promise<void> {
  const { reader, adapter } = source;
  const { key } = listed;
  // Listing a big home takes a while, and what is read is the file as it is now.
  const fingerprint = await reader.fingerprint(key);
  if (fingerprint === undefined) {
    // Gone since it was listed: clients clean up, and the store keeps what it has.
    report.sessions.seen -= 1;
    return progress.done(adapter, listed.bytes);
  }
  const notes = emptyNotes();
  const events = observeRead(reader, key, notes, options.signal);
  await ingest.session(progress.count(adapter, events), {
    seenBefore: seen.get(key) !== undefined,
    isUnchanged: async () => (await reader.fingerprint(key)) === fingerprint,
    onCommitted: (outcome) => {
      const seenNow = countOutcome(report, outcome, notes, { fingerprint, now: options.now() });
      report.bytes_read += listed.bytes;
      seen.set(key, seenNow);
    },
  });
  progress.done(adapter, listed.bytes);
}
