import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

/** A session in short: its messages are texts, the user's first, in turns. */
export type Chat = {
  readonly id: string;
  readonly parent?: string;
  readonly project?: string;
  readonly agent?: string;
  readonly day?: string;
  readonly texts: readonly (string | null)[];
};

/** A store in a folder of its own, for one test file. */
export type TestStore = { readonly sessions: SessionStore; remove(): void };

const place = { adapter: "test", uri: "test", record: 1 };

/** Stores chats, as `sync` would; the n-th text of chat `s` is message `s-n`. */
export async function storeOf(
  chats: readonly Chat[],
  { isFolded = true }: { readonly isFolded?: boolean } = {},
): Promise<TestStore> {
  const folder = mkdtempSync(join(tmpdir(), "pond-search-"));
  const sessions = await openSessions(folder, { mode: "write" });
  await addChats(sessions, chats);
  for (const name of isFolded ? ["sessions", "messages", "parts", "windows"] : []) {
    await sessions.store.table(name).fold({ isForced: true });
  }
  const remove = (): void => {
    sessions.close();
    rmSync(folder, { recursive: true });
  };
  return { sessions, remove };
}

/** Ingests chats; one that is stored already is compared and revised. */
export async function addChats(sessions: SessionStore, chats: readonly Chat[]): Promise<void> {
  const now = new Date("2026-11-20T00:00:00Z");
  const ingest = createIngest(sessions, { host: "test", now: () => now });
  const hooks = { seenBefore: true, isUnchanged: async () => true, onCommitted: () => undefined };
  for (const chat of chats) await ingest.session(eventsOf(chat), hooks);
  await ingest.finish();
}

async function* eventsOf(chat: Chat): AsyncGenerator<ReadEvent> {
  const { id, parent, project = "/work/pond", agent = "claude-code", day = "2026-01-01" } = chat;
  const record = openRecord(place, {
    ...{ id, project, at: `${day}T00:00:00Z` },
    ...(parent !== undefined && { parent }),
  });
  const session = sessionEvent({
    id: record.requireString("id"),
    parentSessionId: record.id("parent"),
    sourceAgent: agent,
    createdAt: timeOf(record),
    project: record.requireString("project"),
    source: {},
  });
  yield session;
  for (const [index, text] of chat.texts.entries()) {
    if (text === null) continue;
    const said = openRecord(place, { id: `${id}-${index}`, text, at: minute(day, index) });
    const message = messageEvent(session, index % 2 === 0 ? "user" : "assistant", {
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

function minute(day: string, index: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + index * 60_000).toISOString();
}

function timeOf(record: SourceRecord): Extracted<bigint> {
  const time = record.timestamp("at");
  if (time === undefined) throw new TypeError("no time");
  return time;
}
