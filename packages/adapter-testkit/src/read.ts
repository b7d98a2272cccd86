import {
  partToWire,
  type ReadEvent,
  recordCountOf,
  type SourceFault,
  sessionToWire,
  stringifyJson,
  toRfc3339,
} from "@pond/canonical";
import { type Reader, RecordCount, type SourceSession } from "@pond/canonical/adapter";

/**
 * Every event of one session, faults and pending records included.
 *
 * @throws {Error} if the reader counts its records, and they are not all accounted for
 * (`adapter-integrity-no-silent-drops`).
 */
export async function readAll(reader: Reader, key: string): Promise<readonly ReadEvent[]> {
  const count = new RecordCount();
  const events = await Array.fromAsync(reader.read(key, undefined, count));
  const accounted = events.reduce((sum, event) => sum + recordCountOf(event), 0);
  const { records: read = accounted } = count;
  if (read !== accounted)
    throw new Error(`${key}: ${read} records read, and ${accounted} accounted for`);
  return events;
}

/** What a reader found in its source without parsing it. */
export type FoundSessions = {
  readonly sessions: readonly SourceSession[];
  readonly faults: readonly SourceFault[];
};

/** What a reader finds in its source; nothing is parsed. */
export async function findSessions(reader: Reader): Promise<FoundSessions> {
  const found = await Array.fromAsync(reader.sessions());
  return {
    sessions: found.filter((session) => session.kind === "source"),
    faults: found.flatMap((event) => (event.kind === "fault" ? [event.fault] : [])),
  };
}

/** Every session of a source: key -> events. */
export async function readSource(
  reader: Reader,
): Promise<ReadonlyMap<string, readonly ReadEvent[]>> {
  const { sessions } = await findSessions(reader);
  const read = new Map<string, readonly ReadEvent[]>();
  for (const { key } of sessions) read.set(key, await readAll(reader, key));
  return read;
}

/** What a store would keep of each session of a source, as text: equal if its rows are. */
export async function sessionTexts(reader: Reader): Promise<readonly string[]> {
  const read = [...(await readSource(reader)).values()];
  return read
    .map((events) => events.filter(({ kind }) => kind !== "fault" && kind !== "pending"))
    .filter((events) => events.length > 0)
    .map((events) => events.map(eventText).join("\n"))
    .sort();
}

/** One event as text: two events are equal if their texts are. */
export function eventText(event: ReadEvent): string {
  switch (event.kind) {
    case "session":
      return `session ${stringifyJson(sessionToWire(event.session))}`;
    case "message": {
      const { timestamp, ...header } = event.message;
      return `message ${stringifyJson({ ...header, timestamp: toRfc3339(timestamp) })}`;
    }
    case "part":
      return `part ${stringifyJson(partToWire(event.part))}`;
    case "fault":
      return `fault ${event.fault.message}`;
    case "pending":
      return `pending ${event.location} ${event.reason}`;
  }
}
