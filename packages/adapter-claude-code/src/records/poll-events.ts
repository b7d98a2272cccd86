import { type CanonicalEvent, isJsonObject } from "@pond/canonical";
import { openRecord, type SourceRecord } from "@pond/canonical/adapter";
import { pollEvents } from "../poll-events.ts";
import { readCarrier } from "./carrier.ts";
import { type Reading, takeEnvelope } from "./envelope.ts";
import { typedMessage } from "./typed-message.ts";

/**
 * Events that the client polled for, carried whole, and what a human said in them. Undefined if no
 * human said anything.
 */
export function readPollEvents(
  record: SourceRecord,
  reading: Reading,
): CanonicalEvent[] | undefined {
  const attachment = record.peek("attachment");
  const events = isJsonObject(attachment) ? pollEvents(attachment) : [];
  const typed = events.flatMap(({ typed: raw }) =>
    raw === undefined ? [] : { raw, text: openRecord(record.at, { raw }).requireString("raw") },
  );
  if (typed.length === 0) return undefined;
  const envelope = takeEnvelope(record, reading);
  return [...readCarrier(record, reading, envelope), ...typedMessage(envelope, typed, reading)];
}
