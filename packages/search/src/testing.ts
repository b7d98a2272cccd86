import { hash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject, ReadEvent } from "@pond/canonical";
import {
  carrierEvent,
  type Extracted,
  fileBytes,
  filePart,
  messageEvent,
  openRecord,
  positionId,
  type SourceRecord,
  sessionEvent,
  textPart,
} from "@pond/canonical/adapter";
import type { Embedder } from "@pond/embed";
import {
  createIngest,
  onlyPlace,
  openSessions,
  type SessionStore,
  searchable,
} from "@pond/sessions";
import { wordsOf } from "./words.ts";

/** A session in short: its messages are texts, the user's first, in turns. */
export type Chat = {
  readonly id: string;
  readonly parent?: string;
  /** Where the parent was forked. */
  readonly parentMessage?: string;
  readonly project?: string;
  readonly agent?: string;
  readonly day?: string;
  readonly texts: readonly (string | null)[];
  /** Records that map to no message, such as titles: the n-th stands before the n-th text. */
  readonly records?: readonly (JsonObject | null)[];
  /** Names of files that come with the first message. */
  readonly files?: readonly string[];
};

/** A store in a folder of its own, for one test file. */
export type TestStore = { readonly sessions: SessionStore; remove(): void };

const directionsPerWord = 6;
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
  const hooks = {
    placeOf: () => onlyPlace,
    isUnchanged: async () => true,
    onCommitted: () => undefined,
  };
  for (const chat of chats) await ingest.session(eventsOf(chat), hooks);
  await ingest.finish();
}

/** An embedder without a model, and the texts it was asked for. */
export type FakeEmbedder = Embedder & { readonly asked: string[] };

/**
 * Vectors of words: each word adds a direction of its own, and words of one meaning the same one.
 *
 * @param meanings - Words that mean what another does, as `{ car: "vehicle", lorry: "vehicle" }`.
 */
export function fakeEmbedder({
  modelId = "test-words",
  dimension = 384,
  meanings = {},
}: {
  readonly modelId?: string;
  readonly dimension?: number;
  readonly meanings?: Readonly<Record<string, string>>;
} = {}): FakeEmbedder {
  const asked: string[] = [];
  return {
    ...{ modelId, dimension, asked, limits: { maxTexts: 64, maxTokens: 512 } },
    async embed(texts) {
      asked.push(...texts);
      return texts.map((text) => {
        const words = wordsOf(text.toLowerCase());
        return vectorOf(
          words.map((word) => meanings[word] ?? word),
          dimension,
        );
      });
    },
    async close() {},
  };
}

/** Embeds every message of a store that can be searched, as the embed stage would. */
export async function embedAll({ store }: SessionStore, embedder: Embedder): Promise<void> {
  const messages = store.table("messages");
  const columns = ["session_id", "id", "search_text"];
  const rows = await messages.rows({ columns, where: searchable });
  const texts = rows.map((row) => String(row["search_text"]));
  await messages.update({
    session_id: rows.map((row) => String(row["session_id"])),
    id: rows.map((row) => String(row["id"])),
    vector: await embedder.embed(texts, { kind: "passage" }),
    embedding_model: rows.map(() => embedder.modelId),
  });
  await messages.fold({ isForced: true });
}

function vectorOf(words: readonly string[], dimension: number): Float32Array {
  const vector = new Float32Array(dimension);
  for (const word of words) {
    for (let at = 0; at < directionsPerWord; at += 1) {
      const digest = hash("sha256", `${at} ${word}`, "buffer");
      const cell = digest.readUInt32BE(0) % dimension;
      vector[cell] = (vector[cell] ?? 0) + (digest.readUInt8(4) % 2 === 0 ? 1 : -1);
    }
  }
  const length = Math.hypot(...vector);
  return length === 0 ? vector.fill(dimension ** -0.5) : vector.map((value) => value / length);
}

async function* eventsOf(chat: Chat): AsyncGenerator<ReadEvent> {
  const { id, parent, parentMessage, project = "/work/pond" } = chat;
  const { agent = "claude-code", day = "2026-01-01", files = [], records = [] } = chat;
  const record = openRecord(place, {
    ...{ id, project, at: `${day}T00:00:00Z` },
    ...(parent !== undefined && { parent }),
    ...(parentMessage !== undefined && { parentMessage }),
  });
  const session = sessionEvent({
    id: record.requireString("id"),
    parentSessionId: record.id("parent"),
    parentMessageId: record.id("parentMessage"),
    sourceAgent: agent,
    createdAt: timeOf(record),
    project: record.requireString("project"),
    source: {},
  });
  yield session;
  const length = Math.max(chat.texts.length, records.length);
  for (let index = 0; index < length; index += 1) {
    const [text = null, carried = null] = [chat.texts[index], records[index]];
    if (carried !== null) {
      const at = openRecord(place, { id: `${id}-record-${index}`, at: minute(day, index) });
      const record = openRecord(place, carried).whole();
      yield carrierEvent(session, {
        ...{ id: at.requireString("id"), timestamp: timeOf(at), record, source: {} },
      });
    }
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
    for (const [at, name] of index === 0 ? files.entries() : []) {
      yield filePart(message, {
        id: positionId(1 + at),
        provenance: "conversational",
        mediaType: undefined,
        fileName: openRecord(place, { name }).string("name"),
        content: fileBytes(new Uint8Array(at)),
      });
    }
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
