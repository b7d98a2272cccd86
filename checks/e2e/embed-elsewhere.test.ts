// The seam of docs/scale-out.md: other engines embed the same tables, and pond uses their vectors.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openEmbedder } from "@pond/embed";
import { buildTestModel } from "@pond/embed-testkit";
import { createHandlers, singleNamespace } from "@pond/server";
import { openSessions, type SessionStore } from "@pond/sessions";
import { afterAll, beforeAll, expect, test } from "vitest";
import { conditions } from "../../apps/cli/src/testing-start.ts";
import {
  createEmbedStore,
  type EmbedStore,
  embeddedTexts,
  lostTexts,
  wrongEmbeddings,
} from "./embed-store.ts";
import { type Rows, rowDifferences, storedRows } from "./rows.ts";

const messages = 150;
const newMessages = 6;
const partition = fileURLToPath(import.meta.resolve("./embed-partition.ts"));

let store: EmbedStore;
beforeAll(async () => {
  store = await createEmbedStore(messages);
});
afterAll(() => store.remove());

test("messages embedded by other processes are counted and found by meaning, and all other data is untouched", async () => {
  const model = join(store.folder, "model");
  await buildTestModel(model, { dimension: 384, words: ["heron", "reed"] });
  const embedder = await openEmbedder({ kind: "folder", folder: model });
  await storeMore();
  const before = await storedRows(store.storage);
  const indexed = await store.read(indexedTexts);

  const runs = await Promise.all([runPartition(model, 0, 2), runPartition(model, 1, 2)]);

  const fragments = runs.flatMap((run) => run.fragments);
  expect(fragments.length).toBeGreaterThan(1);
  expect(new Set(fragments).size).toBe(fragments.length);
  const namespaces = singleNamespace(store.storage);
  const handlers = createHandlers({ namespaces, embedder, isPersonal: true });
  expect(await handlers.handle("status", { protocol_version: 1 })).toMatchObject({
    embedded: messages + newMessages,
    embedding: { enabled: true, model: embedder.modelId, missing: 0 },
  });
  const asked = { protocol_version: 1, query: "a heron in the reed" };
  const { mode, sessions: found } = await handlers.handle("search", asked);
  expect(mode).toBe("hybrid");
  expect(found[0]).toMatchObject({ session_id: "new-0", matches: [{ message_id: "new-0" }] });
  expect(found[0]?.matches[0]?.similarity).toBeGreaterThan(0.5);
  await namespaces.close();

  const after = await storedRows(store.storage);
  expect(rowDifferences(withoutVectors(before.rows), withoutVectors(after.rows))).toEqual([]);
  await store.read(async (sessions) => {
    expect(await indexedTexts(sessions)).toEqual(indexed);
    expect((await embeddedTexts(sessions, embedder.modelId)).size).toBe(messages + newMessages);
    expect(await wrongEmbeddings(sessions, messages + newMessages, embedder)).toEqual([]);
  });
  const sessions = await openSessions(store.storage, { mode: "write" });
  await sessions.store.table("messages").fold({ isForced: true });
  expect(await lostTexts(sessions, messages)).toEqual([]);
  sessions.close();
  await embedder.close();
});

/** Adds messages in separate fragments that no index covers yet. */
async function storeMore(): Promise<void> {
  const namespaces = singleNamespace(store.storage);
  const handlers = createHandlers({ namespaces });
  for (let at = 0; at < newMessages; at += 1) {
    const id = `new-${at}`;
    const [created_at, options] = ["2026-03-02T09:00:00.000Z", {}];
    const place = { session_id: id, message_id: id };
    const said = { type: "text", text: at === 0 ? "heron reed heron" : `said ${at}` };
    await handlers.handle("ingest", {
      protocol_version: 1,
      events: [
        {
          kind: "session",
          session: { id, source_agent: "codex", created_at, project: "/work", options },
        },
        {
          kind: "message",
          message: { id, session_id: id, role: "user", timestamp: created_at, options },
        },
        { kind: "part", part: { ...place, id, provenance: "conversational", options, ...said } },
      ],
    });
  }
  await namespaces.close();
}

/** The state of the word index: how far it reaches. */
async function indexedTexts({ store }: SessionStore) {
  const { indexes } = await store.table("messages").health();
  return indexes.find(({ column }) => column === "search_text");
}

async function runPartition(
  model: string,
  worker: number,
  workers: number,
): Promise<{ readonly embedded: number; readonly fragments: readonly number[] }> {
  const args = [partition, store.storage, model, String(worker), String(workers)];
  const run = promisify(execFile)(process.execPath, [...conditions, ...args]);
  return JSON.parse((await run).stdout);
}

function withoutVectors(rows: Rows): Rows {
  const messages = [...(rows.get("messages") ?? [])].map(([key, row]) => {
    const { vector: _, embedding_model: __, ...others } = row;
    return [key, others] as const;
  });
  return new Map([...rows, ["messages", new Map(messages)]]);
}
