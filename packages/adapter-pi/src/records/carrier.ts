import type { CanonicalEvent } from "@pond/canonical";
import { carrierEvent } from "@pond/canonical/adapter";
import type { NormalizedEntry } from "../migration.ts";
import { takeEnvelope } from "./envelope.ts";
import type { Reading } from "./reading.ts";

/**
 * Any entry that is not a turn, carried whole (spec 6.5, rule 3): settings, labels, state, future
 * kinds.
 */
export function readCarrier(entry: NormalizedEntry, reading: Reading): CanonicalEvent[] {
  const { record, keptFrom } = entry;
  const { id, timestamp } = takeEnvelope(entry, reading);
  const type = record.peek("type");
  // The model's memory changes here, so no search window crosses it.
  const isBoundary = typeof type === "string" && boundaries.includes(type);
  const source = { boundary: isBoundary ? "compaction" : undefined, keptFrom };
  return [carrierEvent(reading.session, { id, timestamp, source, record: record.whole() })];
}

const boundaries: readonly string[] = ["compaction", "branch_summary", "reset_boundary"];
