import type { PondError } from "@pond/canonical";

/** What became of one session. Counts are of this ingest alone. */
export type IngestOutcome = {
  session_id: string | undefined;
  status: "new" | "grown" | "revised" | "unchanged" | "failed";
  messages_added: number;
  parts_added: number;
  revisions: number;
  tombstones: number;
  /** Revisions and tombstones left for the next time, because the source changed meanwhile. */
  deferred: number;
  /** True where its project or source_agent differed from the stored, which stay (spec 7.6). */
  rejected: boolean;
  faults: number;
  pending: number;
  /** Why it failed. */
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
