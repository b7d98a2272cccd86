import type { PondError } from "@pond/canonical";
import type { HeldMessages, SourcePlace } from "./source-place.ts";

/** Times by table, in microseconds. */
export type AddedAt = { sessions?: bigint; messages?: bigint; parts?: bigint };

/** The outcome for one session. Counts are those of this ingest alone. */
export type IngestOutcome = {
  /** Undefined if the source did not get as far. */
  session_id: string | undefined;
  /** `failed`: an event broke the model and its message was left out; the rest is stored. */
  status: "new" | "grown" | "revised" | "unchanged" | "failed";
  messages_added: number;
  parts_added: number;
  /** The time stored with its last row in each table, in microseconds, if any was added. */
  added_at: AddedAt;
  /** New values and new places of messages that were already stored. */
  revisions: number;
  /** Messages that are no longer in the source; they stay stored. */
  tombstones: number;
  /** Stored messages that were not as they were written, and are again. */
  mended: number;
  /**
   * Revisions and tombstones left for the next time, because the source changed in the meantime.
   */
  deferred: number;
  /** True if its project or source_agent differed from the stored one, which stays (spec 7.6). */
  rejected: boolean;
  /** Source records whose message is stored, now or before. */
  records_stored: number;
  /** How many of those are carried whole in a message of their own that says nothing. */
  records_carried: number;
  /** Source records whose message breaks the model and was left out. */
  records_left_out: number;
  /** Records that could not be read. */
  faults: number;
  /** Records that are not complete yet. */
  pending: number;
  /** What the store shows now, if hooks tell which place was read. */
  held?: HeldMessages | undefined;
  /** The `agreedAt` of that place from now on; that of an older copy stays as it was. */
  agreed_at?: number | undefined;
  /** Why it failed: the first error. */
  error?: PondError;
};

/** Questions and notifications about one session on its way in. */
export type SessionHooks = {
  /**
   * The place from which the session is read, completely. Left out if only some of it comes,
   * without gaps, and nothing has disappeared.
   */
  placeOf?(sessionId: string): SourcePlace;
  /** True as long as the source is as it was when the read began. */
  isUnchanged(): Promise<boolean>;
  /** Called when everything of the session is stored durably. */
  onCommitted(outcome: IngestOutcome): void | Promise<void>;
};

export function emptyOutcome(): IngestOutcome {
  return {
    session_id: undefined,
    status: "unchanged",
    messages_added: 0,
    parts_added: 0,
    added_at: {},
    revisions: 0,
    tombstones: 0,
    mended: 0,
    deferred: 0,
    rejected: false,
    records_stored: 0,
    records_carried: 0,
    records_left_out: 0,
    faults: 0,
    pending: 0,
  };
}

/**
 * Leaves a whole session for the next time: another one was stored under that id in the meantime.
 */
export function deferSession(outcome: IngestOutcome): void {
  const { deferred, ...none } = emptyOutcome();
  const { records_stored, records_carried, faults, pending } = outcome;
  Object.assign(outcome, { ...none, records_stored, records_carried, faults, pending });
  delete outcome.held;
  delete outcome.agreed_at;
  outcome.deferred = deferred + 1;
}

/** Derives the status from the counts, for a session that was stored before and did not fail. */
export function settleStatus(outcome: IngestOutcome): void {
  if (outcome.status === "failed" || outcome.status === "new") return;
  if (outcome.messages_added > 0) outcome.status = "grown";
  else {
    const changes = outcome.revisions + outcome.tombstones + outcome.mended;
    outcome.status = changes > 0 ? "revised" : "unchanged";
  }
}
