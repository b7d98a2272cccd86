import type { CanonicalEvent, JsonObject, JsonValue, Message } from "@pond/canonical";
import { isJsonObject } from "@pond/canonical";
import {
  carrierEvent,
  type KeyOrders,
  messageEvent,
  sourceOf,
  suffixedId,
} from "@pond/canonical/adapter";
import { injectedMessage } from "../provenance.ts";
import type { StoredMessage } from "../stores/stored.ts";
import { type Reading, takeRepeated, withRepeated, withTime } from "./envelope.ts";
import { keepParts, readParts } from "./parts.ts";
import { answersIn, readUserAnswers } from "./user-answers.ts";

/** A message of version 1 with its parts; one with an unknown role is carried whole. */
export function readMessage1(
  { record, row, parts, records }: StoredMessage,
  reading: Reading,
): CanonicalEvent[] {
  const { session } = reading.session;
  const own = record.peek("id");
  const role = record.peek("role");
  const isTurn = role === "user" || role === "assistant";
  const ownId = reading.ids.own(record);
  const id = ownId ?? reading.ids.derived(record);
  const idFrom = ownId ? undefined : "content";
  // Parts that name an id which another message had before keep that name.
  const at = { id: ownId && typeof own === "string" ? own : "", session: session.id };
  const time = record.record("time")?.milliseconds("created");
  const timestamp = time ?? reading.anchor;
  if (!isTurn) {
    const source = { id: idFrom, ...keepParts(parts, at), row: row?.whole() };
    return [
      carrierEvent(reading.session, { id, timestamp, source, record: record.whole(), records }),
    ];
  }
  const types = parts.map((part) => part.record.peek("type"));
  const injectedAs = injectedMessage(record, types);
  record.string("role");
  const lacks = takeRepeated(record, { sessionID: session.id });
  const answers = parts.flatMap((part) => answersIn(part.record));
  const { drafts, kept } = readParts(parts, { ...at, role }, injectedAs);
  const event = messageEvent(reading.session, role, {
    id,
    timestamp,
    records,
    source: {
      id: idFrom,
      time: time ? undefined : "session",
      boundary: injectedAs === "compaction" ? "compaction" : undefined,
      lacks,
      ...kept,
      row: row?.whole(),
      rest: record.rest(),
    },
  });
  const answerEvents = readUserAnswers(answers, { id, timestamp }, record, reading);
  return [event, ...drafts.map((draft) => draft(event)), ...answerEvents];
}

/**
 * The parts of a message that could not be read itself, under an id that leaves the message its
 * own.
 */
export function readCutMessage(
  { record, row, parts, records }: StoredMessage,
  reading: Reading,
): CanonicalEvent[] {
  const own = reading.ids.own(record);
  const id = own ? suffixedId(own, "parts") : reading.ids.derived(record);
  const kept = keepParts(parts, { id: "", session: reading.session.session.id });
  const source = { cut: true, ...kept, row: row?.whole() };
  const timestamp = reading.anchor;
  return [
    carrierEvent(reading.session, { id, timestamp, source, record: record.whole(), records }),
  ];
}

/** The record that a message of version 1 came from, without its parts. */
export function restoreRecord1(message: Message, orders: KeyOrders): JsonObject {
  const source = sourceOf(message);
  if (isJsonObject(source["record"])) return source["record"];
  const own: { [key: string]: JsonValue } = {
    ...(source["id"] !== "content" && { id: message.id }),
    sessionID: message.session_id,
    role: message.role,
  };
  const fields = withRepeated(source, own, orders);
  return source["time"] === "session" ? fields : withTime(fields, message, orders);
}
