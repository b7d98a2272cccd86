import { messageFromWire, partsOf, type ReadEvent, sessionFromWire } from "@pond/canonical";
import { createIngest, openSessions, type SessionStore } from "@pond/sessions";
import type { SetSession } from "./retrieval-sets.ts";

const start = Date.parse("2026-01-01T00:00:00Z");

/** Ingests sessions of a set as any client's would be, and builds the indexes. */
export async function openHaystack(
  location: string,
  sets: readonly (readonly SetSession[])[],
): Promise<SessionStore> {
  const sessions = await openSessions(location, { mode: "write" });
  const ingest = createIngest(sessions, { host: "bench", now: () => new Date(start) });
  const hooks = { seenBefore: false, isUnchanged: async () => true, onCommitted: () => undefined };
  for (const session of sets.flat()) await ingest.session(eventsOf(session), hooks);
  await ingest.finish();
  for (const name of ["sessions", "messages", "windows"]) {
    await sessions.store.table(name).fold({ isForced: true });
  }
  return sessions;
}

async function* eventsOf({ id, messages }: SetSession): AsyncGenerator<ReadEvent> {
  const created_at = new Date(start).toISOString();
  const project = `/work/${id.split("/")[0]}`;
  const session = { id, source_agent: "bench", created_at, project, options: {} };
  yield { kind: "session", session: sessionFromWire(session) };
  for (const [index, message] of messages.entries()) {
    const back = { session_id: id, message_id: message.id };
    const part = { ...back, id: "0", provenance: "conversational", options: {}, type: "text" };
    const whole = messageFromWire({
      id: message.id,
      session_id: id,
      timestamp: new Date(start + index * 1000).toISOString(),
      role: message.role,
      options: {},
      content: [{ ...part, text: message.text }],
    });
    if (whole.role === "system") continue;
    const { content: _, ...header } = whole;
    yield { kind: "message", message: header as never };
    for (const each of partsOf(whole)) yield { kind: "part", part: each };
  }
}
