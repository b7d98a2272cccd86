import type { CanonicalEvent } from "@pond/canonical";
import { carrierEvent, type SourceRecord } from "@pond/canonical/adapter";
import { type Envelope, type Reading, takeEnvelope } from "./envelope.ts";

/** Any record that is not a turn, whole (spec 6.5, rule 3): metadata, progress, what comes next. */
export function readCarrier(
  record: SourceRecord,
  reading: Reading,
  { id, timestamp }: Envelope = takeEnvelope(record, reading),
): CanonicalEvent[] {
  reading.helperTalk.goesOn(record);
  const isCompaction = record.peek("subtype") === "compact_boundary";
  // What the model remembers ends here, so no window of search goes across.
  const boundary = isCompaction ? "compaction" : undefined;
  const source = { boundary, titleField: titleField(record, reading) };
  const init = { id, timestamp, source, record: record.whole() };
  return [carrierEvent(reading.session, init)];
}

/**
 * The field of a title that old builds gave a conversation, which it names by a record. What it names
 * may be in the log of another session: their titles stand at the head of a new one.
 */
function titleField(record: SourceRecord, { ids }: Reading): string | undefined {
  const isOwn = record.peek("type") === "summary" && ids.has(record.peek("leafUuid"));
  return isOwn ? "summary" : undefined;
}
