import type { JsonObject, JsonValue, Message, Micros, SessionEvent } from "@pond/canonical";
import {
  ContentIds,
  type Extracted,
  type KeyOrders,
  objectAt,
  positionId,
  restOf,
  type SourceRecord,
} from "@pond/canonical/adapter";

/** What reading one session remembers from message to message. */
export type Reading = {
  readonly session: SessionEvent;
  /** The session's own time, for records without one (`model-no-synthesis` allows it). */
  readonly anchor: Extracted<Micros>;
  readonly ids: MessageIds;
};

/** Hands out the ids of one session's messages, each once. */
export class MessageIds {
  readonly #seen: Set<string> = new Set();
  readonly #derived: ContentIds = new ContentIds();

  /** The record's own id; undefined if it has none, or another record had it before. */
  own(record: SourceRecord): Extracted<string> | undefined {
    const id = record.peek("id");
    if (typeof id !== "string" || this.#seen.has(id) || id.includes("#")) return undefined;
    this.#seen.add(id);
    return record.id("id");
  }

  derived(record: SourceRecord): Extracted<string> {
    return this.#derived.next(record);
  }
}

/** Hands out the ids of one message's parts, each once. */
export class PartIds {
  readonly #seen: Set<string> = new Set();

  /** The part's own id if it has one that no other part had, else its position. */
  next(part: SourceRecord, position: number): Extracted<string> {
    const id = part.peek("id");
    // Ids that this codec makes itself look like these.
    const isOwn = typeof id === "string" && !this.#seen.has(id) && !/^\d+$|#/.test(id);
    if (isOwn) this.#seen.add(id);
    return (isOwn ? part.id("id") : undefined) ?? positionId(position);
  }
}

/**
 * Takes the fields that only repeat what canonical says anyway.
 *
 * @returns Those that the record lacks, for `withRepeated`.
 */
export function takeRepeated(
  record: SourceRecord,
  fields: Readonly<Record<string, string>>,
): string | undefined {
  const missing = Object.entries(fields).filter(([key, value]) => {
    if (value !== "" && record.peek(key) === value) record.string(key);
    return record.peek(key) === undefined;
  });
  return missing.length === 0 ? undefined : missing.map(([key]) => key).join(" ");
}

/** The fields of a record, with those that `takeRepeated` took put back. */
export function withRepeated(
  source: JsonObject,
  fields: Readonly<Record<string, JsonValue>>,
  orders: KeyOrders,
): JsonObject {
  const rest = restOf(source);
  const lacks = String(source["lacks"] ?? "").split(" ");
  // What is still in a rest was not taken, because it said something else.
  const back = Object.entries(fields).filter(
    ([key]) => !lacks.includes(key) && !Object.hasOwn(rest, key),
  );
  return orders.join(rest, Object.fromEntries(back), "first");
}

/** A record with its creation time put back among its times. */
export function withTime(record: JsonObject, message: Message, orders: KeyOrders): JsonObject {
  const time = objectAt(record, "time");
  const created = Object.hasOwn(time, "created") ? {} : { created: millisOf(message.timestamp) };
  return orders.join(record, { time: orders.join(time, created, "first") });
}

/** Milliseconds since the epoch, as the client writes times. */
export function millisOf(time: Micros): number {
  return Number(time / 1000n);
}
