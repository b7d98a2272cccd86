import type { JsonObject, JsonValue, Message, Micros } from "@pond/canonical";
import { toRfc3339 } from "@pond/canonical";
import { type Extracted, restOf, sourceOf } from "@pond/canonical/adapter";
import type { NormalizedEntry } from "../migration.ts";
import type { Reading } from "./reading.ts";

/** The id and time of one entry, and how they were found if the entry did not have them. */
export type Envelope = {
  readonly id: Extracted<string>;
  readonly timestamp: Extracted<Micros>;
  /** Facts that `restoreEnvelope` reads back. */
  readonly facts: { readonly id?: "content"; readonly time?: "session" };
};

/** Takes the entry's id and time. */
export function takeEnvelope(
  { record, identity }: NormalizedEntry,
  { ids, anchor, era }: Reading,
): Envelope {
  const own = era.isBornV1 ? undefined : ids.own(record);
  const time = record.timestamp("timestamp");
  return {
    id: own ?? ids.derived(identity),
    timestamp: time ?? anchor,
    facts: { ...(own ? {} : { id: "content" }), ...(time ? {} : { time: "session" }) },
  };
}

/** The fields of the entry that a message came from, without its content, in the client's order. */
export function restoreEnvelope(message: Message): JsonObject {
  const source = sourceOf(message);
  const rest = restOf(source);
  const entries: [string, JsonValue][] = Object.entries(rest);
  const placeOf = (key: string): number => entries.findIndex(([name]) => name === key);
  // What is still in a rest was not taken: an id seen before, a time in another form.
  if (source["id"] !== "content" && rest["id"] === undefined) {
    const parent = placeOf("parentId");
    entries.splice(parent < 0 ? placeOf("type") + 1 : parent, 0, ["id", message.id]);
  }
  if (source["time"] !== "session" && rest["timestamp"] === undefined) {
    const before = Math.max(...["type", "id", "parentId"].map(placeOf));
    entries.splice(before + 1, 0, ["timestamp", toRfc3339(message.timestamp)]);
  }
  return Object.fromEntries(entries);
}
