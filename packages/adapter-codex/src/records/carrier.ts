import type { CanonicalEvent } from "@pond/canonical";
import { carrierEvent, type SourceRecord } from "@pond/canonical/adapter";
import { type Envelope, type Reading, takeEnvelope } from "./envelope.ts";

/** Any record that maps to no message, whole (spec 6.5, rule 3): metadata, events, what comes next. */
export function readCarrier(
  record: SourceRecord,
  item: SourceRecord | undefined,
  reading: Reading,
  { id, timestamp, facts }: Envelope = takeEnvelope(record, item, reading),
): CanonicalEvent[] {
  // What the model remembers begins anew here, so no window of search goes across.
  const boundary = record.peek("type") === "compacted" ? "compaction" : undefined;
  const source = { path: facts["path"], boundary };
  return [carrierEvent(reading.session, { id, timestamp, source, record: record.whole() })];
}
