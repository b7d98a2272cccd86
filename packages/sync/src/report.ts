import type { Fault } from "./fault.ts";

/**
 * Sessions of one adapter. Each is exactly one of new, grown, unchanged and failed; `pending` says
 * how many of them hold records that are not settled yet.
 */
export type SessionCounts = {
  /** How many the sources hold. */
  seen: number;
  /** Stored for the first time. */
  new: number;
  /** Stored before, and something was added: messages, revisions or tombstones. */
  grown: number;
  unchanged: number;
  /** Sessions with records that are not complete yet; the next sync reads them. */
  pending: number;
  /** Sessions of which nothing could be stored; the faults say why. */
  failed: number;
};

/**
 * What became of every record that was read: `read` is `stored` + `faulted` + `pending`; if not, a
 * fault `accounting_mismatch` says where. A record is what the client wrote as one: a line, a row,
 * an entry of a document, a file beside a log. Sessions that were not read again are not counted.
 */
export type Accounting = {
  read: number;
  /**
   * Kept by messages that are in the store, now or before. For `deferred` changes, only the new
   * value is missing.
   */
  stored: number;
  /** How many of `stored` are not a message to the client and are kept whole. */
  carried: number;
  /** Not stored: the faults say why. */
  faulted: number;
  /** Not complete yet: the next sync reads them. */
  pending: number;
  /** Sessions whose reader does not count, so that what it read cannot be checked. */
  sessions_uncounted: number;
};

/** What a sync did for one client. */
export type AdapterReport = {
  readonly name: string;
  readonly sessions: SessionCounts;
  messages_added: number;
  parts_added: number;
  /** Stored records that came back with another value; both are kept. */
  revisions: number;
  /** Stored records that their source no longer holds; they are kept. */
  tombstones: number;
  /** Stored messages that were not as they were written, and are again: what `--verify` found. */
  mended: number;
  /** Changes left for the next sync because the source changed while it was read. */
  deferred: number;
  /** Sessions whose project or client differs from the stored one, which stays. */
  rejected: number;
  bytes_read: number;
  readonly accounting: Accounting;
  /** What could not be read, in this sync or in an earlier one if nothing has changed since. */
  readonly faults: Fault[];
  /** How many faults `faults` leaves out: a session or a listing shows its first hundred. */
  faults_omitted: number;
  /**
   * How many of all these faults a client left behind, so that nobody has to do anything about
   * them.
   */
  leftovers: number;
};

export function emptyReport(name: string): AdapterReport {
  return {
    name,
    sessions: { seen: 0, new: 0, grown: 0, unchanged: 0, pending: 0, failed: 0 },
    messages_added: 0,
    parts_added: 0,
    revisions: 0,
    tombstones: 0,
    mended: 0,
    deferred: 0,
    rejected: 0,
    bytes_read: 0,
    accounting: {
      read: 0,
      stored: 0,
      carried: 0,
      faulted: 0,
      pending: 0,
      sessions_uncounted: 0,
    },
    faults: [],
    faults_omitted: 0,
    leftovers: 0,
  };
}

/**
 * True if a report holds anything that could not be read, apart from what nobody has to do anything
 * about.
 */
export function hasFaults(adapters: readonly AdapterReport[]): boolean {
  return adapters.some(
    ({ faults, faults_omitted: omitted, leftovers }) => faults.length + omitted > leftovers,
  );
}
