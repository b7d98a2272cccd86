import type { CanonicalEvent, JsonObject, Message } from "@pond/canonical";
import { type KeyOrders, messageEvent, type SourceRecord, sourceOf } from "@pond/canonical/adapter";
import type { Speaker } from "../spans.ts";
import { aroundText, partEvents, wholeText } from "./content.ts";
import { type Reading, restoreEnvelope, takeEnvelope } from "./envelope.ts";
import { draftText } from "./text.ts";

/** What was said in a voice conversation; undefined if it is neither side's words. */
export function readRealtime(
  record: SourceRecord,
  item: SourceRecord,
  reading: Reading,
): CanonicalEvent[] | undefined {
  const role = item.peek("role");
  if (role !== "user" && role !== "assistant") return undefined;
  const speaker: Speaker =
    role === "user" ? { author: "human", kind: "user.text" } : { author: "model" };
  const drafts = draftText(item, "text", speaker, { list: "text", block: undefined });
  if (drafts === undefined) return undefined;
  const { id, timestamp, facts } = takeEnvelope(record, item, reading);
  const source = { ...facts, content: "realtime", rest: record.rest() };
  const message = messageEvent(reading.session, role, { id, timestamp, source });
  return [message, ...partEvents(message, drafts)];
}

/** Undefined if the message was no speech. */
export function restoreRealtime(message: Message, orders: KeyOrders): JsonObject | undefined {
  const isSpeech = sourceOf(message)["content"] === "realtime";
  if (!isSpeech) return undefined;
  return restoreEnvelope(message, { text: wholeText(message) }, orders, aroundText(message));
}
