import type { JsonObject, JsonValue, Message, Micros, SessionEvent } from "@pond/canonical";
import { isJsonObject, toRfc3339 } from "@pond/canonical";
import {
  ContentIds,
  type Extracted,
  isDerivedFrom,
  type KeyOrders,
  openRecord,
  type RecordCount,
  restOf,
  type SourceOptions,
  type SourceRecord,
  sourceOf,
  suffixedId,
} from "@pond/canonical/adapter";
import type { OpenAnswer } from "./event.ts";
import type { Goals } from "./goals.ts";

/**
 * Who writes in the user's place of a thread. An editor asks for titles in threads that it runs as
 * programs do, and so may a human.
 */
export type Author = "human" | "editor" | "agent" | "harness";

/** What reading one thread remembers from record to record, and what changes from file to file. */
export type Reading = {
  readonly session: SessionEvent;
  /** The thread's own time, for records without one (`model-no-synthesis` allows it). */
  readonly anchor: Extracted<Micros>;
  readonly author: Author;
  /** Lines that name the thread and are still to come. */
  readonly names: SourceRecord[];
  readonly nameIds: ContentIds;
  readonly count: RecordCount | undefined;
  /** The ordinal of the first record of a spawned thread's own, after what it inherited. */
  readonly historyStart: number | undefined;
  ids: RecordIds;
  /** Tool names by call id; calls come before their outputs. */
  readonly toolNames: Map<string, Extracted<string>>;
  /** The ids of calls that asked the user. */
  readonly questions: Set<string>;
  /** What the model says and its record may be far apart. */
  readonly answer: OpenAnswer;
  goals: Goals;
  /** The project's rules as the client gave them last; an editor may repeat them. */
  rules: string | undefined;
  /** Where a later file of the thread is; its first record keeps it. */
  path: Extracted<string> | undefined;
};

/** What every message of one record shares. */
export type Envelope = {
  readonly id: Extracted<string>;
  readonly timestamp: Extracted<Micros>;
  /** What `restoreEnvelope` needs, and where a later file is. */
  readonly facts: SourceOptions;
};

/** Hands out the ids of the records of one file, each once. */
export class RecordIds {
  readonly #seen: Set<string> = new Set();
  readonly #derived: ContentIds = new ContentIds();
  readonly #rollout: string | undefined;

  /**
   * @param rollout - Names a later file of a thread, so that its ids differ from those of the
   * first.
   */
  constructor(rollout?: string) {
    this.#rollout = rollout;
  }

  /**
   * The id that the API gave an item; undefined if it has none, or another record had it before.
   */
  own(item: SourceRecord): Extracted<string> | undefined {
    // A file that continues another one may repeat the ids in there.
    if (this.#rollout !== undefined) return undefined;
    const id = item.peek("id");
    if (typeof id !== "string" || this.#seen.has(id) || codecIdPattern.test(id)) return undefined;
    this.#seen.add(id);
    return item.id("id");
  }

  derived(record: SourceRecord): Extracted<string> {
    const [timestamp, type, payload] = ["timestamp", "type", "payload"].map((key) =>
      record.peek(key),
    );
    const content =
      payload === undefined ? record : openRecord(record.at, contentOf(timestamp, type, payload));
    const id = this.#derived.next(content);
    return this.#rollout === undefined ? id : suffixedId(id, this.#rollout);
  }
}

/**
 * The text from which the id of a record in an envelope is derived. It leaves the ordinal out, so
 * that a thread that the client migrates to numbered records keeps the ids of what did not change.
 */
function contentOf(
  timestamp: JsonValue | undefined,
  type: JsonValue | undefined,
  payload: JsonValue,
): JsonObject {
  return { ...(timestamp !== undefined && { timestamp }), type: type ?? null, payload };
}

/** Ids that this codec makes itself; an item with such an id could collide with one. */
const codecIdPattern = /^[0-9a-f]{32}(?:\.\d+)?$|#/;

/** Takes the id and time of a record. `item` is what the record holds for the model, if it does. */
export function takeEnvelope(
  record: SourceRecord,
  item: SourceRecord | undefined,
  reading: Reading,
): Envelope {
  const own = item && reading.ids.own(item);
  const time = record.timestamp("timestamp");
  const { path } = reading;
  reading.path = undefined;
  return {
    id: own ?? reading.ids.derived(record),
    timestamp: time ?? reading.anchor,
    facts: {
      path,
      id: own ? "item" : undefined,
      time: time ? undefined : "session",
    },
  };
}

/** True if the id of a message was derived from this record. */
export function isSource(id: string, record: JsonObject): boolean {
  const { timestamp, type, payload } = record;
  return isDerivedFrom(id, payload === undefined ? record : contentOf(timestamp, type, payload));
}

/**
 * The record that a message came from, with these fields of its item put back.
 *
 * @param around - What else is known to be in the item, in its order.
 */
export function restoreEnvelope(
  message: Message,
  fields: JsonObject,
  orders: KeyOrders,
  around: JsonObject = {},
): JsonObject {
  const source = sourceOf(message);
  const rest = restOf(source);
  // A time in another form than ours was not taken.
  const isOurs = source["time"] !== "session" && rest["timestamp"] === undefined;
  const timestamp = isOurs ? { timestamp: toRfc3339(message.timestamp) } : {};
  const id: Record<string, JsonValue> = source["id"] === "item" ? { id: message.id } : {};
  const { payload } = rest;
  return isJsonObject(payload)
    ? {
        ...timestamp,
        ...rest,
        payload: orders.join({ ...around, ...payload }, { ...id, ...fields }),
      }
    : orders.join({ ...around, ...rest }, { ...timestamp, ...id, ...fields });
}
