import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CanonicalEvent, messageFromWire, partsOf, sessionFromWire } from "@pond/canonical";
import {
  createIngest,
  openSessions,
  prepareEmbeddings,
  readBacklog,
  type SessionStore,
  sessionTables,
  writeEmbeddings,
} from "@pond/sessions";
import { eq } from "@pond/substrate";
import { onTestFinished } from "vitest";

export type DemoSession = {
  readonly id: string;
  /** Of each message; of a list, every one is a part of its own. */
  readonly texts: readonly (string | readonly string[])[];
  readonly project?: string;
};

/** A folder that goes away with the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "pond-archive-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A store that is closed with the test; without a location a new one. */
export async function openStore(
  location: string = join(temporaryFolder(), "store"),
  storageOptions: Readonly<Record<string, string>> = {},
): Promise<SessionStore> {
  const sessions = await openSessions(location, { mode: "write", storageOptions });
  onTestFinished(() => sessions.close());
  return sessions;
}

/** A new store with these sessions. */
export async function storeOf(...demos: readonly DemoSession[]): Promise<SessionStore> {
  const sessions = await openStore();
  await ingest(sessions, demos);
  return sessions;
}

/** Takes sessions in, as a sync does. */
export async function ingest(sessions: SessionStore, demos: readonly DemoSession[]): Promise<void> {
  const ingest = createIngest(sessions, { host: "here", now: () => new Date("2026-01-02") });
  const hooks = { seenBefore: true, isUnchanged: async () => true, onCommitted: () => undefined };
  for (const demo of demos) await ingest.session(eventsOf(demo), hooks);
  await ingest.finish();
}

/** Sessions of some messages each, such that a few windows come of every one. */
export function demoSessions(count: number, messages: number = 3): DemoSession[] {
  return Array.from({ length: count }, (_, session) => ({
    id: `session-${String(session).padStart(3, "0")}`,
    texts: Array.from(
      { length: messages },
      (_, at) => `Message ${at} of ${session}. ${"Herons stand in reeds. ".repeat(40)}`,
    ),
  }));
}

async function* eventsOf({
  id,
  texts,
  project = "/work",
}: DemoSession): AsyncGenerator<CanonicalEvent> {
  const time = "2026-01-01T00:00:00.000001Z";
  const fields = { source_agent: "demo", created_at: time, project, options: {} };
  yield { kind: "session", session: sessionFromWire({ id, ...fields }) };
  for (const [at, text] of texts.entries()) {
    const base = { session_id: id, message_id: `m${at}`, provenance: "conversational" };
    const content = [text].flat().map((each, place) => ({
      ...base,
      id: String(place),
      type: "text",
      text: each,
      options: { "a b": [at] },
    }));
    const header = { id: `m${at}`, session_id: id, timestamp: time, role: "user", options: {} };
    const message = messageFromWire({ ...header, content });
    const { content: _, ...rest } = message;
    yield { kind: "message", message: rest as typeof message };
    for (const part of partsOf(message)) yield { kind: "part", part };
  }
}

/** Gives every message a vector of this length. */
export async function embedAll(sessions: SessionStore, dimension: number): Promise<void> {
  const model = { modelId: `model-of-${dimension}`, dimension };
  await prepareEmbeddings(sessions, model, false, async () => undefined);
  const messages = await readBacklog(sessions, model.modelId, 10_000);
  const vectors = messages.map((message, at) => ({
    message,
    vector: Float32Array.from({ length: dimension }, (_, place) => (place % 7) / 8 + at / 1024),
  }));
  await writeEmbeddings(sessions, model.modelId, vectors);
}

/** Every cell of every table, in the order of the keys. */
export async function allRows({ store }: SessionStore): Promise<Record<string, string[]>> {
  await store.refresh();
  const tables = sessionTables.map(async ({ name, columns }) => {
    const rows = await store.table(name).rows({ columns: Object.keys(columns) });
    return [name, rows.map((row) => Object.values(row).map(String).join(" | ")).sort()] as const;
  });
  return Object.fromEntries(await Promise.all(tables));
}

/** The texts of a message's parts. */
export async function partTexts({ store }: SessionStore, message: string): Promise<string[]> {
  const columns = ["ordinal", "variant_data"];
  const rows = await store.table("parts").rows({ columns, where: eq("message_id", message) });
  const byPlace = rows.sort((one, other) => Number(one["ordinal"]) - Number(other["ordinal"]));
  return byPlace.map((row) => JSON.parse(String(row["variant_data"])).text);
}

/** Puts the rows of one table alone into another store, as an ingest that breaks off does. */
export async function copyTable(
  from: SessionStore,
  to: SessionStore,
  table: string,
): Promise<void> {
  const columns = Object.keys(from.store.table(table).declaration.columns);
  const rows = await from.store.table(table).rows({ columns });
  await to.store
    .table(table)
    .insert(
      Object.fromEntries(columns.map((name) => [name, rows.map((row) => row[name] ?? null)])),
    );
}

/** Every file below a folder. */
export function filesBelow(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String).sort() : [];
}
