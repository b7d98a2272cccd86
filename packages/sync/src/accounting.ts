import type { RecordCount } from "@pond/canonical/adapter";
import type { IngestOutcome } from "@pond/sessions";
import type { Fault } from "./fault.ts";
import type { ReadNotes } from "./observed-read.ts";
import type { Accounting } from "./report.ts";

/** How one session's records were read, and what the store says about them. */
type Read = {
  readonly location: string;
  readonly adapter: string;
  readonly count: RecordCount;
  readonly notes: Pick<ReadNotes, "faultedRecords" | "pendingRecords" | "isBrokenOff">;
};

/**
 * Adds the outcome of one session's records.
 *
 * @returns A fault if the sum is not what was read (`adapter-integrity-no-silent-drops`).
 */
export function account(
  accounting: Accounting,
  outcome: IngestOutcome,
  { location, adapter, count, notes }: Read,
): Fault | undefined {
  const { records_stored: stored, records_carried: carried, records_left_out } = outcome;
  const pending = notes.pendingRecords;
  let faulted = notes.faultedRecords + records_left_out;
  const accounted = stored + faulted + pending;
  const { records: read = accounted } = count;
  // The fault that ended the reading covers every record that the reader had taken by then.
  if (notes.isBrokenOff) faulted += Math.max(0, read - accounted);
  accounting.read += read;
  accounting.stored += stored;
  accounting.carried += carried;
  accounting.faulted += faulted;
  accounting.pending += pending;
  // For an empty file, and one that cannot be opened, there is nothing to count.
  if (count.records === undefined && accounted > 0) accounting.sessions_uncounted += 1;
  if (stored + faulted + pending === read) return undefined;
  const sum = `${stored} stored + ${faulted} faulted + ${pending} pending`;
  const message = `${read} records read, but ${sum}: this is a defect of the adapter`;
  return { adapter, location, code: "accounting_mismatch", message };
}
