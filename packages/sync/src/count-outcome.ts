import type { RecordCount } from "@pond/canonical/adapter";
import type { IngestOutcome } from "@pond/sessions";
import { account } from "./accounting.ts";
import type { ReadNotes } from "./observed-read.ts";
import { extentOf } from "./places.ts";
import type { AdapterReport } from "./report.ts";
import type { SeenSession } from "./seen-file.ts";
import { readAgain } from "./seen-sessions.ts";

/** One session as it was read. */
export type SessionRead = {
  /** Names it in faults. */
  readonly location: string;
  readonly adapter: string;
  readonly fingerprint: string;
  /** What was remembered of it. */
  readonly before: SeenSession | undefined;
  readonly notes: ReadNotes;
  readonly count: RecordCount;
};

/** Counts what became of a session and says what to remember of it. */
export function countOutcome(
  report: AdapterReport,
  outcome: IngestOutcome,
  read: SessionRead,
  nowMs: number,
): SeenSession {
  const { location, adapter, fingerprint, notes, before } = read;
  const { error } = outcome;
  const faults = [...notes.faults];
  if (error) faults.push({ adapter, location, code: error.code, message: error.message });
  const mismatch = account(report.accounting, outcome, read);
  if (mismatch) faults.push(mismatch);
  const hasFaults = faults.length > 0;
  const hasFailed = outcome.status === "failed" || (outcome.session_id === undefined && hasFaults);

  report.sessions[hasFailed ? "failed" : countedAs(outcome)] += 1;
  if (notes.pending > 0) report.sessions.pending += 1;
  report.messages_added += outcome.messages_added;
  report.parts_added += outcome.parts_added;
  report.revisions += outcome.revisions;
  report.tombstones += outcome.tombstones;
  report.mended += outcome.mended;
  report.deferred += outcome.deferred;
  report.rejected += outcome.rejected ? 1 : 0;
  report.faults.push(...faults);
  report.faults_omitted += notes.omittedFaults;

  const now = {
    sessionId: outcome.session_id,
    extent: extentOf(notes, before),
    held: outcome.held,
  };
  // A file that is empty for a moment, or cannot be read, says nothing new of its session.
  const { sessionId, extent, held } = now.sessionId === undefined ? (before ?? {}) : now;
  return {
    fingerprint: notes.isWorthRetrying || outcome.deferred > 0 ? readAgain : fingerprint,
    ...(sessionId !== undefined && { sessionId }),
    ...(extent && { extent }),
    ...(held && { held }),
    ...(hasFailed && { hasFailed }),
    ...(notes.pending > 0 && { pendingSinceMs: nowMs }),
    ...(hasFaults && { faults }),
    ...(notes.omittedFaults > 0 && { omittedFaults: notes.omittedFaults }),
  };
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
