import type { JsonObject, Message, MessageEvent } from "@pond/canonical";
import { isJsonObject } from "@pond/canonical";
import {
  carrierEvent,
  objectAt,
  openRecord,
  type SourceRecord,
  sourceOf,
  suffixedId,
} from "@pond/canonical/adapter";
import { assumedVersion } from "../migration.ts";
import type { Reading } from "./reading.ts";

/**
 * The header as a message, because it changes with the session's title, directory and version. With
 * it are kept the line of fixed length that holds omp's title, and what a migration gave to
 * entries.
 */
export function readHeader(
  record: SourceRecord,
  title: SourceRecord | undefined,
  links: JsonObject | undefined,
  { session, anchor }: Reading,
): MessageEvent {
  const name = openRecord(record.at, { id: record.peek("id") }).requireString("id");
  return carrierEvent(session, {
    id: suffixedId(name, "header"),
    timestamp: anchor,
    source: {
      title: title?.whole(),
      links: links && openRecord(record.at, { links }).requireJson("links"),
    },
    record: record.whole(),
    records: title ? 2 : 1,
  });
}

/** What the header of a log says about the entries after it. */
export type HeaderFacts = {
  readonly message: Message | undefined;
  /** The line before it. */
  readonly title: JsonObject | undefined;
  readonly version: JsonObject[string] | undefined;
  readonly links: JsonObject;
};

/** The header among the messages of a session. */
export function restoreHeader(messages: readonly Message[]): HeaderFacts {
  const message = messages.find(({ id }) => id.endsWith("#header"));
  const facts = message ? sourceOf(message) : {};
  const { title } = facts;
  return {
    message,
    title: isJsonObject(title) ? title : undefined,
    version: message ? objectAt(facts, "record")["version"] : assumedVersion,
    links: objectAt(facts, "links"),
  };
}
