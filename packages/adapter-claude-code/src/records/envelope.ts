import type { JsonObject, JsonValue, Message, Micros, SessionEvent } from "@pond/canonical";
import { toRfc3339 } from "@pond/canonical";
import {
  ContentIds,
  type Extracted,
  type KeyOrders,
  restOf,
  type SourceRecord,
  sourceOf,
} from "@pond/canonical/adapter";
import type { HelperConversation } from "./helper-conversation.ts";
import type { PromptQueue } from "./queue.ts";

/** What reading one session remembers from record to record. */
export type Reading = {
  readonly session: SessionEvent;
  /** The session's own time, for records without one (`model-no-synthesis` allows it). */
  readonly anchor: Extracted<Micros>;
  readonly ids: RecordIds;
  /** Tool names by call id; calls come before their results. */
  readonly toolNames: Map<string, Extracted<string>>;
  /** The ids of calls that asked the user. */
  readonly questions: Set<string>;
  /** Prompts are queued and answered in different records. */
  readonly queue: PromptQueue;
  /** The record of a helper's answer only says which prompt it follows. */
  readonly helperConversation: HelperConversation;
};

/** The id and time of one record, and how they were found if the record did not have them. */
export type Envelope = {
  readonly id: Extracted<string>;
  readonly timestamp: Extracted<Micros>;
  /** Facts that `restoreEnvelope` reads back. */
  readonly facts: { readonly id?: "content"; readonly time?: "session" };
};

/** Hands out the ids of one session's records, each once. */
export class RecordIds {
  readonly #seen: Set<string> = new Set();
  readonly #derived: ContentIds = new ContentIds();

  /** The record's own uuid; undefined if it has none, or another record had it before. */
  own(record: SourceRecord): Extracted<string> | undefined {
    const uuid = record.peek("uuid");
    if (typeof uuid !== "string" || this.#seen.has(uuid) || codecIdPattern.test(uuid))
      return undefined;
    this.#seen.add(uuid);
    return record.id("uuid");
  }

  /** True for the id of a record that was read before. */
  has(uuid: unknown): boolean {
    return typeof uuid === "string" && this.#seen.has(uuid);
  }

  derived(record: SourceRecord): Extracted<string> {
    return this.#derived.next(record);
  }
}

/** Ids that this codec makes itself; a record with such an id could collide with one. */
const codecIdPattern = /^sidecar:|#(?:text|said)$/;

/** Takes the record's id and time. */
export function takeEnvelope(record: SourceRecord, { ids, anchor }: Reading): Envelope {
  const own = ids.own(record);
  const time = record.timestamp("timestamp");
  return {
    id: own ?? ids.derived(record),
    timestamp: time ?? anchor,
    facts: { ...(own ? {} : { id: "content" }), ...(time ? {} : { time: "session" }) },
  };
}

/** The fields of the record that a message came from, without its content. */
export function restoreEnvelope(message: Message, orders: KeyOrders): JsonObject {
  const source = sourceOf(message);
  const rest = restOf(source);
  const taken: { [key: string]: JsonValue } = {};
  // What is still in a rest was not taken: an id seen before, a time in another form.
  if (source["id"] !== "content" && rest["uuid"] === undefined) taken["uuid"] = message.id;
  if (source["time"] !== "session" && rest["timestamp"] === undefined) {
    taken["timestamp"] = toRfc3339(message.timestamp);
  }
  return orders.join(rest, taken);
}
