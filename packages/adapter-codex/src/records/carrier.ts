import type { CanonicalEvent } from "@pond/canonical";
import { carrierEvent, type SourceRecord } from "@pond/canonical/adapter";
import { type Envelope, type Reading, takeEnvelope } from "./envelope.ts";

/**
 * Any record that maps to no message, carried whole (spec 6.5, rule 3): metadata, events, future
 * kinds.
 */
export function readCarrier(
  record: SourceRecord,
  item: SourceRecord | undefined,
  reading: Reading,
  { id, timestamp, facts }: Envelope = takeEnvelope(record, item, reading),
): CanonicalEvent[] {
  // The model's memory begins anew here, so no search window crosses it.
  const boundary = record.peek("type") === "compacted" ? "compaction" : undefined;
  const source = { path: facts["path"], boundary };
  return [carrierEvent(reading.session, { id, timestamp, source, record: record.whole() })];
}
