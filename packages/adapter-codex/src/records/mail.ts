import type { CanonicalEvent } from "@pond/canonical";
import { messageEvent, type SourceOptions, type SourceRecord } from "@pond/canonical/adapter";
import { type Draft, partEvents, readElements } from "./content.ts";
import { type Envelope, type Reading, takeEnvelope } from "./envelope.ts";
import { draftText } from "./text.ts";

/** What another agent wrote to this one; undefined if all of it is encrypted. */
export function readMail(
  record: SourceRecord,
  item: SourceRecord,
  reading: Reading,
): CanonicalEvent[] | undefined {
  const elements = readElements(item, "content", (element, place) =>
    element.peek("type") === "input_text"
      ? draftText(element, "text", { author: "mail" }, place)
      : undefined,
  );
  if (elements === undefined || elements.drafts.length === 0) return undefined;
  const envelope = takeEnvelope(record, item, reading);
  return mailEvents(record, reading, envelope, elements.drafts, elements.kept);
}

/** Mail as a line of its own, the form before it became an item of the API. */
export function readMailLine(record: SourceRecord, reading: Reading): CanonicalEvent[] | undefined {
  if (record.peek("type") !== "inter_agent_communication") return undefined;
  const mail = record.record("payload");
  if (mail === undefined || mail.peek("content") === "") return undefined;
  const place = { list: "content", block: undefined };
  const drafts = draftText(mail, "content", { author: "mail" }, place);
  if (drafts === undefined) return undefined;
  // Only items have ids of their own.
  const envelope = takeEnvelope(record, undefined, reading);
  return mailEvents(record, reading, envelope, drafts, { content: "text" });
}

function mailEvents(
  record: SourceRecord,
  reading: Reading,
  { id, timestamp, facts }: Envelope,
  drafts: readonly Draft[],
  form: SourceOptions,
): CanonicalEvent[] {
  const source = { ...facts, author: "agent", ...form, rest: record.rest() };
  const message = messageEvent(reading.session, "user", { id, timestamp, source });
  return [message, ...partEvents(message, drafts)];
}
