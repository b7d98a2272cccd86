import {
  checkMessage,
  fromRfc3339,
  isJsonObject,
  type JsonObject,
  type Message,
  messageToWire,
} from "@pond/canonical";
import type { EventType, StoredEvent } from "./events.ts";
import { snapshot } from "./snapshot.ts";
import { sourceOf } from "./stored-event.ts";

/** One step of a session: what happened, and the canonical message that keeps it. */
export type Entry = { readonly event: StoredEvent; readonly message: Message };

/** Events whose message is marked as a boundary, where what a model sees is cut. */
const boundaries: Readonly<Partial<Record<EventType, string>>> = { CompactionEnded: "compaction" };

/** The key of an event in its session; no two events of one writer have the same. */
export function eventKey(event: StoredEvent, sequence: number): string {
  switch (event.type) {
    case "ParallelLoopStart":
      return `${event.loop_ids[0]}#group`;
    case "ParallelLoopEnd":
      return `${event.selected_loop_id}#chosen`;
    case "SpawnNamed":
      return "spawn";
    default:
      return loopEventKey(event.loop_id, sequence);
  }
}

/** @param sequence - Its number among the events of the loop. */
export function loopEventKey(loopId: string, sequence: number): string {
  return `${loopId}#${sequence}`;
}

/**
 * The id of the message with a key. Several writers may write to a session at once, so each has ids
 * of its own.
 */
export function messageId(key: string, writer: string): string {
  return `${key}.${writer}`;
}

/** True for the message with this key, whoever wrote it. The earliest stored ids name no writer. */
export function hasEventKey(key: string, { id }: Message): boolean {
  return id === key || id.startsWith(messageId(key, ""));
}

/** A message that says nothing and carries a record, as adapters make them (spec 6.5, rule 3). */
export function carrier(
  sessionId: string,
  id: string,
  timestamp: string,
  source: JsonObject,
): Message {
  return checkMessage({
    id,
    session_id: sessionId,
    role: "system",
    timestamp: fromRfc3339(timestamp),
    content: "",
    options: { source },
  });
}

/** The message that carries an event. */
export function eventCarrier(sessionId: string, id: string, event: StoredEvent): Message {
  const boundary = boundaries[event.type];
  return carrier(sessionId, id, event.timestamp, {
    ...("loop_id" in event && { loop: event.loop_id }),
    ...(boundary !== undefined && { boundary }),
    record: snapshot(event),
  });
}

/**
 * The message that carries one that another loop had said already, so that search finds it once.
 */
export function repeatCarrier(message: Message): Message {
  const { id, session_id, timestamp } = message;
  const { loop = null } = sourceOf(message);
  const source = { loop, repeats: true, record: snapshot(messageToWire(message)) };
  const fields = { id, session_id, timestamp, role: "system", content: "" };
  return checkMessage({ ...fields, options: { source } });
}

/** The head of a session: everything that it says about itself. */
export function headOf(message: Message | undefined): JsonObject | undefined {
  const { head, record } = message ? sourceOf(message) : {};
  return head === true && isJsonObject(record) ? record : undefined;
}
