import { type CanonicalEvent, fromRfc3339, type JsonObject, type Message } from "@pond/canonical";
import {
  carriedRecord,
  carrierEvent,
  openRecord,
  type SourceRecord,
  sourceOf,
  suffixedId,
} from "@pond/canonical/adapter";
import { nameFile, nameLines } from "../thread-names.ts";
import type { Reading } from "./envelope.ts";

/**
 * The names that were given to a thread before a record was written, or all that are left. So no
 * name moves while the thread continues, and a later name comes after.
 */
export function readNames(reading: Reading, before?: SourceRecord): CanonicalEvent[] {
  const { names } = reading;
  if (names.length === 0) return [];
  const end = before === undefined ? names.length : namedBefore(names, before);
  return names.splice(0, end).map((line) => readName(line, reading));
}

function namedBefore(names: readonly SourceRecord[], record: SourceRecord): number {
  const time = timeAt(record, "timestamp");
  if (time === undefined) return 0;
  const first = names.findIndex((line) => (timeAt(line, nameLines.time) ?? 0n) >= time);
  return first === -1 ? names.length : first;
}

function readName(line: SourceRecord, reading: Reading): CanonicalEvent {
  const name = line.peek("thread_name");
  // The client skips a line without a name.
  const isName = typeof name === "string" && name.trim() !== "";
  const place = openRecord(line.at, { file: nameFile });
  reading.count?.add(1);
  return carrierEvent(reading.session, {
    id: suffixedId(reading.nameIds.next(line), "name"),
    // Naming is no activity of a thread: a client may name all its threads at one time.
    timestamp: reading.anchor,
    // The line does not tell who gave a name: as in the client, the last one counts.
    source: {
      sidecar: place.requireString("file"),
      ...(isName && { titleField: "thread_name", isTitleChosen: true }),
    },
    record: line.whole(),
  });
}

function timeAt(record: SourceRecord, key: string): bigint | undefined {
  const value = record.peek(key);
  return typeof value === "string" ? fromRfc3339(value) : undefined;
}

/** The line that a message was read from; undefined for a message from a file of the thread. */
export function nameLine(message: Message): JsonObject | undefined {
  return sourceOf(message)["sidecar"] === undefined ? undefined : carriedRecord(message);
}
