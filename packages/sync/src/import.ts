import { getHeapStatistics } from "node:v8";
import { collectGarbage, isSystemError, type Reader, RecordCount } from "@pond/canonical/adapter";
import {
  createIngest,
  type Damaged,
  type ExpectedSession,
  findDamaged,
  type Ingest,
  type IngestOutcome,
  type SessionStore,
} from "@pond/sessions";
import { countDue, parentStateOf } from "./changes.ts";
import { countOutcome } from "./count-outcome.ts";
import type { Source } from "./discover.ts";
import { failAfter } from "./errors.ts";
import type { ChangedSession } from "./listed-sessions.ts";
import { emptyNotes, observeRead } from "./observed-read.ts";
import { sessionsElsewhere } from "./other-sources.ts";
import { type Plan, planImport, type Work } from "./plan.ts";
import type { SyncProgress } from "./progress.ts";
import type { AdapterReport } from "./report.ts";
import { type AddedRow, type StoredRows, watchedTables } from "./seen-file.ts";
import { SessionPlaces } from "./session-places.ts";
import { noStoredRows, readStoredRows } from "./stored-rows.ts";
import { Tracker } from "./tracker.ts";

/** What an import is going to read. */
export type PlannedCounts = { readonly sessions: number; readonly bytes: number };

/** What an import reads, remembers and stamps. */
export type ImportOptions = {
  /** Where this machine keeps what it saw, for this one store. */
  readonly stateDirectory: string;
  /** Adapters to report on although they may have no source here. */
  readonly adapters?: readonly string[];
  /** Name of this machine, stored with each session. */
  readonly host: string;
  /** The time that is stored with everything. */
  readonly now: () => Date;
  /**
   * The reading software with its version; a session with faults is read again by a different one.
   */
  readonly software?: string;
  /** Reads every session again and compares it with what is stored, to the last value. */
  readonly isVerifying?: boolean;
  /** Called, and awaited, with how much changed and is to be read, before any of it is. */
  readonly onPlanned?: ((planned: PlannedCounts) => Promise<void>) | undefined;
  /** Called as sessions are done. */
  readonly onProgress?: (progress: SyncProgress) => void;
  /**
   * Called if the state directory cannot be written: what was read is stored, and will be read
   * again. Without it, the import throws the error.
   */
  readonly onStateSaveFailed?: (error: unknown) => void;
  readonly signal?: AbortSignal | undefined;
};

// What was known of 100,000 sessions takes as much, and is garbage behind an import; a fold takes
// memory of its own.
const maxGarbageBytes = 64 * 1024 * 1024;
// Saving after every batch would rewrite a big state file for each of thousands of small ones.
const saveEveryMs = 5_000;

/**
 * Reads the sessions that changed since this machine last read them into the store. It is safe to
 * stop it in any way: what was acknowledged is stored, and the rest is read next time.
 *
 * @returns One report for each adapter, in the order of `sources`.
 * @throws {StorageUnavailableError} if not everything stored can be compared; what was missing is
 * stored.
 */
export async function importSessions(
  sessions: SessionStore,
  sources: readonly Source[],
  options: ImportOptions,
): Promise<AdapterReport[]> {
  const { onProgress, signal } = options;
  let damaged: Damaged | undefined;
  if (options.isVerifying) {
    const onRows = (rows: number, total: number): void =>
      onProgress?.({ stage: "compare", rows, total });
    try {
      damaged = await findDamaged(sessions, { onRows, signal });
    } catch (error) {
      signal?.throwIfAborted();
      return failAfter(error, () => importChanged(sessions, sources, options), signal);
    }
  }
  const reports = await importChanged(sessions, sources, { ...options, damaged });
  const { used_heap_size: used, external_memory: external } = getHeapStatistics();
  if (used + external > maxGarbageBytes) collectGarbage();
  return reports;
}

type Repair = { readonly damaged?: Damaged | undefined };

async function importChanged(
  sessions: SessionStore,
  sources: readonly Source[],
  options: ImportOptions & Repair,
): Promise<AdapterReport[]> {
  const stored = await readStoredRows(sessions);
  const plan = await planImport(sources, { ...options, stored });
  const planned = plannedOf(plan.works);
  await options.onPlanned?.(planned);
  if (planned.sessions > 0) await importPlanned(sessions, plan, stored, options);
  else await save(plan.works, stored, options);
  return [...plan.reports.values()];
}

/** What {@link importSessions} would read; opens no session. */
export async function previewImport(
  sessions: SessionStore | undefined,
  sources: readonly Source[],
  options: ImportOptions,
): Promise<AdapterReport[]> {
  const stored = sessions === undefined ? noStoredRows : await readStoredRows(sessions);
  const plan = await planImport(sources, { ...options, stored, isPreview: true });
  for (const { changed, seen, report } of plan.works) {
    for (const change of changed) countDue(seen.get(change.key), change, report);
  }
  return [...plan.reports.values()];
}

async function importPlanned(
  sessions: SessionStore,
  plan: Plan,
  stored: StoredRows,
  options: ImportOptions & Repair,
): Promise<void> {
  const { now, signal, host, damaged } = options;
  const expected = expectedOf(plan.works);
  const ingest = createIngest(sessions, { host, now, damaged, expected, shouldQualifyIds: true });
  const tracker = new Tracker(plan.works, (progress) => options.onProgress?.(progress));
  const elsewhere = await sessionsElsewhere(options.stateDirectory, plan.works, stored);
  const places = new SessionPlaces(plan.works, elsewhere, options.isVerifying);
  let savedAtMs = now().getTime();
  try {
    for (const work of plan.works) {
      for (const session of work.changed.taken()) {
        signal?.throwIfAborted();
        await importSession(ingest, work, session, { ...options, tracker, places });
        if (now().getTime() - savedAtMs < saveEveryMs) continue;
        await save([work], await readStoredRows(sessions), options);
        savedAtMs = now().getTime();
      }
    }
  } finally {
    // Also after a failure or an interruption: what was read need not be read again.
    await ingest.finish();
    await save(plan.works, await readStoredRows(sessions), options);
  }
}

function plannedOf(works: readonly Work[]): PlannedCounts {
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);
  return {
    sessions: sum(works.map(({ changed }) => changed.length)),
    bytes: sum(works.map(({ changed }) => changed.bytes)),
  };
}

/** The sessions that were read before, in the order in which they are read now. */
function expectedOf(works: readonly Work[]): ExpectedSession[] {
  const expected = new Map<string, ExpectedSession>();
  for (const { changed, seen } of works) {
    for (const { key } of changed) {
      const { sessionId: id, extent: [, messages] = [] } = seen.get(key) ?? {};
      if (id !== undefined && !expected.has(id)) expected.set(id, { id, messages });
    }
  }
  return [...expected.values()];
}

type Run = {
  readonly tracker: Tracker;
  readonly places: SessionPlaces;
};

async function importSession(
  ingest: Ingest,
  work: Work,
  { key, bytes }: ChangedSession,
  { now, signal, isVerifying, tracker, places }: ImportOptions & Run,
): Promise<void> {
  const { source, seen, report } = work;
  const { adapter, path, reader } = source;
  // Listing a large home takes a while, and what is read is the file as it is now.
  const fingerprint = await fingerprintOf(reader, key);
  if (fingerprint === undefined) {
    // Gone since it was listed: clients clean up, and the store keeps what it has.
    report.sessions.seen -= 1;
    tracker.finish(adapter, bytes);
    return;
  }
  const parentState = await parentStateOf(reader, key);
  const before = seen.get(key);
  const notes = emptyNotes();
  const count = new RecordCount();
  const location = `${path}: ${key}`;
  const read = {
    ...{ location, adapter, fingerprint, parentState, bytes, before, notes, count, isVerifying },
  };
  const reading = { key, before, notes };
  const onMessage = (): void => tracker.message(adapter);
  await ingest.session(observeRead(reader, key, { notes, count, onMessage, signal }), {
    placeOf(sessionId) {
      notes.sessionId = sessionId;
      return places.placeOf(work, reading, sessionId);
    },
    isUnchanged: async () => (await fingerprintOf(reader, key)) === fingerprint,
    onCommitted: (outcome) => {
      const remembered = countOutcome(report, outcome, read, now().getTime());
      seen.set(key, remembered, addedRows(outcome));
      if (notes.sessionId !== undefined) places.markSeen(notes.sessionId);
    },
  });
  if (notes.sessionId !== undefined) places.read(work, reading, notes.sessionId);
  report.bytes_read += bytes;
  tracker.finish(adapter, bytes);
}

/** An unreadable file is no reason to stop: reading the session will say what is wrong with it. */
async function fingerprintOf(reader: Reader, key: string): Promise<string | undefined> {
  try {
    return await reader.fingerprint(key);
  } catch {
    return "unreadable";
  }
}

function addedRows({ session_id: sessionId, added_at: times }: IngestOutcome): AddedRow[] {
  if (sessionId === undefined) return [];
  return watchedTables.flatMap((table) => {
    const at = times[table];
    return at === undefined ? [] : { table, sessionId, atMicros: Number(at) };
  });
}

async function save(
  works: readonly Work[],
  stored: StoredRows,
  { onStateSaveFailed }: ImportOptions,
): Promise<void> {
  try {
    await Promise.all(works.map(({ seen }) => seen.save(stored)));
  } catch (error) {
    if (onStateSaveFailed === undefined || !isSystemError(error)) throw error;
    onStateSaveFailed(error);
  }
}
