import type { ReadEvent } from "@pond/canonical";
import {
  type Extracted,
  messageEvent,
  openRecord,
  positionId,
  type SourceRecord,
  sessionEvent,
  textPart,
} from "@pond/canonical/adapter";
import { createIngest, openSessions, type SessionStore } from "@pond/sessions";
import type { SetSession } from "./retrieval-sets.ts";

const startMs = Date.parse("2026-01-01T00:00:00Z");
const place = { adapter: "bench", uri: "retrieval", record: 1 };

/** Ingests sessions of a set as any client's would be, and builds the indexes. */
export async function openHaystack(
  location: string,
  sets: readonly (readonly SetSession[])[],
): Promise<SessionStore> {
  const sessions = await openSessions(location, { mode: "write" });
  const ingest = createIngest(sessions, { host: "bench", now: () => new Date(startMs) });
  const hooks = { seenBefore: false, isUnchanged: async () => true, onCommitted: () => undefined };
  for (const session of sets.flat()) await ingest.session(eventsOf(session), hooks);
  await ingest.finish();
  for (const name of ["sessions", "messages", "parts", "windows"]) {
    await sessions.store.table(name).fold({ isForced: true });
  }
  return sessions;
}

async function* eventsOf({ id, messages }: SetSession): AsyncGenerator<ReadEvent> {
  const at = new Date(startMs).toISOString();
  const record = openRecord(place, { id, at, project: `/work/${id.split("/")[0]}` });
  const session = sessionEvent({
    id: record.requireString("id"),
    sourceAgent: "bench",
    createdAt: timeOf(record),
    project: record.requireString("project"),
    source: {},
  });
  yield session;
  for (const [index, { id: messageId, role, text }] of messages.entries()) {
    const time = new Date(startMs + index * 1000).toISOString();
    const said = openRecord(place, { id: messageId, text, at: time });
    const message = messageEvent(session, role, {
      id: said.requireString("id"),
      timestamp: timeOf(said),
      source: {},
    });
    yield message;
    yield textPart(message, {
      id: positionId(0),
      provenance: "conversational",
      text: said.requireString("text"),
    });
  }
}

function timeOf(record: SourceRecord): Extracted<bigint> {
  const time = record.timestamp("at");
  if (time === undefined) throw new TypeError("no time");
  return time;
}
