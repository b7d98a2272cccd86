import type { RecordCount } from "@pond/canonical/adapter";
import type { IngestOutcome } from "@pond/sessions";
import { account } from "./accounting.ts";
import type { Fault } from "./fault.ts";
import type { ReadNotes } from "./observed-read.ts";
import type { AdapterReport } from "./report.ts";
import type { SeenSession } from "./seen-file.ts";
import { noFingerprint } from "./seen-sessions.ts";
import { extentOf } from "./session-places.ts";

/** One session as it was read. */
export type SessionRead = {
  /** Names it in faults. */
  readonly location: string;
  readonly adapter: string;
  readonly fingerprint: string;
  /** The state of what tells where it descends from. */
  readonly parentState: string | undefined;
  /** Its size when it was listed. */
  readonly bytes: number;
  /** What was remembered about it. */
  readonly before: SeenSession | undefined;
  readonly notes: ReadNotes;
  readonly count: RecordCount;
  /** Also report leftovers that a sync has already reported. */
  readonly isVerifying?: boolean | undefined;
};

/** Counts the outcome of a session and returns what to remember about it. */
export function countOutcome(
  report: AdapterReport,
  outcome: IngestOutcome,
  read: SessionRead,
  nowMs: number,
): SeenSession {
  const { fingerprint, parentState, notes, before } = read;
  const faults = faultsOf(report, outcome, read);
  const hasFaults = faults.length > 0;
  const isAbsent = outcome.session_id === undefined && hasFaults;
  const isLeftover = hasFaults && faults.length + notes.omittedFaults === notes.leftovers;
  const hasFailed = outcome.status === "failed" || (isAbsent && !isLeftover);
  report.sessions[hasFailed ? "failed" : countedAs(outcome)] += 1;
  if (notes.pending > 0) report.sessions.pending += 1;
  addCounts(report, outcome);
  addFaults(report, faults, isLeftover, read);
  const now = {
    sessionId: outcome.session_id,
    extent: extentOf(notes, before),
    held: outcome.held,
    agreedAt: outcome.agreed_at,
  };
  // A file that is empty for a moment, or cannot be read, says nothing new about its session.
  const { sessionId, extent, held, agreedAt } = now.sessionId === undefined ? (before ?? {}) : now;
  return {
    fingerprint: notes.isWorthRetrying || outcome.deferred > 0 ? noFingerprint : fingerprint,
    ...(sessionId !== undefined && { sessionId }),
    ...(extent && { extent }),
    ...(held && { held }),
    ...(agreedAt !== undefined && { agreedAt }),
    ...(hasFailed && { hasFailed }),
    ...(isAbsent && isLeftover && { isUnread: true }),
    ...(notes.pending > 0 && { pendingSinceMs: nowMs }),
    ...(notes.isUnresolved && parentState !== undefined && { parentState }),
    ...(hasFaults && { faults }),
    ...(isLeftover && { isLeftover }),
    ...(!isLeftover && notes.leftovers > 0 && { leftovers: notes.leftovers }),
    ...(notes.omittedFaults > 0 && { omittedFaults: notes.omittedFaults }),
  };
}

/**
 * The problems of a session: those that its reader reported, and those that came out afterwards.
 */
function faultsOf(
  { accounting }: AdapterReport,
  outcome: IngestOutcome,
  read: SessionRead,
): Fault[] {
  const { location, adapter, notes } = read;
  const { error } = outcome;
  const faults = [...notes.faults];
  if (error) faults.push({ adapter, location, code: error.code, message: error.message });
  const mismatch = account(accounting, outcome, read);
  if (mismatch) faults.push(mismatch);
  if (isMissing(outcome, read)) {
    const message = `nothing was read of its ${read.bytes} bytes`;
    faults.push({ adapter, location, code: "nothing_read", message });
  }
  return faults;
}

function addCounts(report: AdapterReport, outcome: IngestOutcome): void {
  report.messages_added += outcome.messages_added;
  report.parts_added += outcome.parts_added;
  report.revisions += outcome.revisions;
  report.tombstones += outcome.tombstones;
  report.mended += outcome.mended;
  report.deferred += outcome.deferred;
  report.rejected += outcome.rejected ? 1 : 0;
}

/**
 * Reports faults; of leftovers only those that no sync has reported, unless everything is read to
 * be verified.
 */
function addFaults(
  report: AdapterReport,
  faults: readonly Fault[],
  isLeftover: boolean,
  { notes, before, isVerifying }: SessionRead,
): void {
  const reported = isLeftover && before?.isLeftover && !isVerifying ? before : undefined;
  const unreported = faults.filter(
    (fault) => !reported?.faults?.some((each) => isSame(each, fault)),
  );
  const omitted = Math.max(0, notes.omittedFaults - (reported?.omittedFaults ?? 0));
  report.faults.push(...unreported);
  report.faults_omitted += omitted;
  report.leftovers += isLeftover ? unreported.length + omitted : notes.leftovers;
}

function isSame(left: Fault, right: Fault): boolean {
  return left.location === right.location && left.message === right.message;
}

/** True if its source has something, the store has nothing, and nobody has said why. */
function isMissing(outcome: IngestOutcome, { bytes, before, notes, count }: SessionRead): boolean {
  if (bytes === 0 || outcome.session_id !== undefined || before?.sessionId !== undefined)
    return false;
  const isExplained = outcome.error !== undefined || notes.faults.length > 0 || notes.pending > 0;
  return !isExplained && (count.records ?? 0) === 0;
}

function countedAs(outcome: IngestOutcome): "new" | "grown" | "unchanged" {
  // A file in which no session has begun yet.
  if (outcome.session_id === undefined) return "unchanged";
  switch (outcome.status) {
    case "new":
      return "new";
    case "grown":
    case "revised":
      return "grown";
    case "unchanged":
    case "failed":
      return "unchanged";
  }
}
