import type { PondError } from "@pond/canonical";

/** What became of one session. Counts are of this ingest alone. */
export type IngestOutcome = {
  session_id: string | undefined;
  /** `failed`: an event broke the model and its message was left out; the rest is stored. */
  status: "new" | "grown" | "revised" | "unchanged" | "failed";
  messages_added: number;
  parts_added: number;
  /** New values and new places of messages that were stored already. */
  revisions: number;
  tombstones: number;
  /** Revisions and tombstones left for the next time, because the source changed meanwhile. */
  deferred: number;
  /** True where its project or source_agent differed from the stored, which stay (spec 7.6). */
  rejected: boolean;
  faults: number;
  pending: number;
  /** Why it failed: the first error. */
  error?: PondError;
};

export type SessionHooks = {
  /** True where this machine read the session from this source before. */
  readonly seenBefore: boolean;
  /** True while the source is as it was when the read began. */
  isUnchanged(): Promise<boolean>;
  /** Called when everything of the session is stored for good. */
  onCommitted(outcome: IngestOutcome): void | Promise<void>;
};

export function emptyOutcome(): IngestOutcome {
  return {
    session_id: undefined,
    status: "unchanged",
    messages_added: 0,
    parts_added: 0,
    revisions: 0,
    tombstones: 0,
    deferred: 0,
    rejected: false,
    faults: 0,
    pending: 0,
  };
}

/** Says what the counts amount to, for a session that was stored before and did not fail. */
export function settleStatus(outcome: IngestOutcome): void {
  if (outcome.status === "failed" || outcome.status === "new") return;
  if (outcome.messages_added > 0) outcome.status = "grown";
  else outcome.status = outcome.revisions + outcome.tombstones > 0 ? "revised" : "unchanged";
}
