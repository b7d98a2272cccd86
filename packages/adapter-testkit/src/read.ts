import {
  partToWire,
  type ReadEvent,
  type SourceFault,
  sessionToWire,
  stringifyJson,
  toRfc3339,
} from "@pond/canonical";
import type { Reader, SourceSession } from "@pond/canonical/adapter";

/** Every event of one session, faults and pending records included. */
export async function readAll(reader: Reader, key: string): Promise<readonly ReadEvent[]> {
  return Array.fromAsync(reader.read(key));
}

/** What a reader found in its source without parsing it. */
export type FoundSessions = {
  readonly sessions: readonly SourceSession[];
  readonly faults: readonly SourceFault[];
};

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

/** One event as text: two events are equal where their texts are. */
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
