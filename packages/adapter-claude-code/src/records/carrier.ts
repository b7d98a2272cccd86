import type { CanonicalEvent } from "@pond/canonical";
import { carrierEvent, type SourceRecord } from "@pond/canonical/adapter";
import { type Envelope, type Reading, takeEnvelope } from "./envelope.ts";

/**
 * Any record that is not a turn, carried whole (spec 6.5, rule 3): metadata, progress, future
 * kinds.
 */
export function readCarrier(
  record: SourceRecord,
  reading: Reading,
  { id, timestamp }: Envelope = takeEnvelope(record, reading),
): CanonicalEvent[] {
  reading.helperConversation.follow(record);
  const isCompaction = record.peek("subtype") === "compact_boundary";
  // The model's memory ends here, so no search window crosses it.
  const boundary = isCompaction ? "compaction" : undefined;
  const source = { boundary, titleField: titleField(record, reading) };
  const init = { id, timestamp, source, record: record.whole() };
  return [carrierEvent(reading.session, init)];
}

/**
 * The field with the title that old builds gave a conversation, which it names by a record. That
 * record may be in the log of another session, whose title stands at the head of a new one.
 */
function titleField(record: SourceRecord, { ids }: Reading): string | undefined {
  const isOwn = record.peek("type") === "summary" && ids.has(record.peek("leafUuid"));
  return isOwn && !apiError.test(String(record.peek("summary"))) ? "summary" : undefined;
}

/** What the client wrote as the title when the model that it asked for one could not be reached. */
const apiError = /^API Error: |Please run \/login\.?$/;
