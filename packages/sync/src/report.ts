import type { Fault } from "./fault.ts";

/**
 * Sessions of one adapter. Each is exactly one of new, grown, unchanged and failed; `pending` says
 * how many of them hold records that are not settled yet.
 */
export type SessionCounts = {
  /** How many the sources hold. */
  seen: number;
  new: number;
  /** Stored before, and something was added: messages, revisions or tombstones. */
  grown: number;
  unchanged: number;
  pending: number;
  /** Nothing of it could be stored; the faults say why. */
  failed: number;
};

export type AdapterReport = {
  readonly name: string;
  readonly sessions: SessionCounts;
  messages_added: number;
  parts_added: number;
  /** Stored records that came back with another value; both are kept. */
  revisions: number;
  /** Stored records that their source no longer holds; they are kept. */
  tombstones: number;
  /** Changes left for the next sync because the source changed while it was read. */
  deferred: number;
  /** Sessions whose project or client differs from the stored one; theirs stays. */
  rejected: number;
  bytes_read: number;
  /** What could not be read, in this sync or in an earlier one that nothing has changed since. */
  readonly faults: Fault[];
  /** How many faults `faults` leaves out: a session shows its first hundred. */
  faults_omitted: number;
};

export function emptyReport(name: string): AdapterReport {
  return {
    name,
    sessions: { seen: 0, new: 0, grown: 0, unchanged: 0, pending: 0, failed: 0 },
    messages_added: 0,
    parts_added: 0,
    revisions: 0,
    tombstones: 0,
    deferred: 0,
    rejected: 0,
    bytes_read: 0,
    faults: [],
    faults_omitted: 0,
  };
}

/** True where a report holds anything that could not be read. */
export function hasFaults(adapters: readonly AdapterReport[]): boolean {
  return adapters.some((report) => report.faults.length + report.faults_omitted > 0);
}
