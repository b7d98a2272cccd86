import type { CanonicalEvent, JsonObject, Message } from "@pond/canonical";
import { type KeyOrders, messageEvent, type SourceRecord, sourceOf } from "@pond/canonical/adapter";
import type { Speaker } from "../spans.ts";
import { aroundText, partEvents, wholeText } from "./content.ts";
import { type Reading, restoreEnvelope, takeEnvelope } from "./envelope.ts";
import { agentMark } from "./message.ts";
import { draftText } from "./text.ts";

/**
 * What the client tells its model as an output that no call asked for (since November 2026): a
 * goal, or an application's note. Undefined if it is not text, or has no name.
 */
export function readUnrequestedOutput(
  record: SourceRecord,
  item: SourceRecord,
  reading: Reading,
): CanonicalEvent[] | undefined {
  const [name, text] = [item.peek("name"), item.peek("output")];
  const isNamed = item.peek("call_id") === undefined && typeof name === "string";
  if (!isNamed || typeof text !== "string" || text === "") return undefined;
  const speaker = speakerOf(record, item, text, reading);
  const drafts = draftText(item, "output", speaker, { list: "output", block: undefined });
  if (drafts === undefined) return undefined;

  const { id, timestamp, facts } = takeEnvelope(record, item, reading);
  const author = agentMark(record, reading);
  const source = { ...facts, author, content: "told", rest: record.rest() };
  const message = messageEvent(reading.session, "user", { id, timestamp, source });
  return [message, ...partEvents(message, drafts)];
}

/**
 * An application may give anything a name, so only a goal that is known to be set is the user's.
 */
function speakerOf(
  record: SourceRecord,
  item: SourceRecord,
  text: string,
  { author, goals }: Reading,
): Speaker {
  const isGoal = item.peek("namespace") === "agent" && item.peek("name") === "goal_objective";
  return isGoal && goals.noteGiven(record, text)
    ? { author, kind: "user.goal" }
    : { author, from: "tool" };
}

/** Undefined if the message was not such an output. */
export function restoreUnrequestedOutput(
  message: Message,
  orders: KeyOrders,
): JsonObject | undefined {
  const isUnrequested = sourceOf(message)["content"] === "told";
  if (!isUnrequested) return undefined;
  return restoreEnvelope(message, { output: wholeText(message) }, orders, aroundText(message));
}
