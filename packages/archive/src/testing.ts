import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CanonicalEvent, messageFromWire, partsOf, sessionFromWire } from "@pond/canonical";
import {
  createIngest,
  type Damaged,
  loadLineage,
  onlyPlace,
  openSessions,
  type SessionStore,
  sessionTables,
} from "@pond/sessions";
import { prepareEmbeddings, readBacklog, writeEmbeddings } from "@pond/sessions/embeddings";
import { eq, type Row } from "@pond/substrate";
import { onTestFinished } from "vitest";

export type DemoSession = {
  readonly id: string;
  /** The text of each message. Each text of a list becomes a part of its own. */
  readonly texts: readonly (string | readonly string[])[];
  /** The id of each message. Default: m0, m1 and so on. */
  readonly ids?: readonly string[];
  readonly project?: string;
  readonly agent?: string;
  readonly parent?: string;
  /** When it said everything, in seconds of a minute. Default: 0. */
  readonly second?: number;
  /** When it began. Default: when it said everything. */
  readonly begun?: number;
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
export async function ingest(
  sessions: SessionStore,
  demos: readonly DemoSession[],
  {
    day = "2026-01-02",
    damaged,
    addsOnly = false,
  }: { readonly day?: string; readonly damaged?: Damaged; readonly addsOnly?: boolean } = {},
): Promise<void> {
  const options = { host: "here", now: () => new Date(day), damaged };
  const ingest = createIngest(sessions, { ...options, shouldQualifyIds: true });
  const hooks = {
    ...(!addsOnly && { placeOf: () => onlyPlace }),
    isUnchanged: async () => true,
    onCommitted: () => undefined,
  };
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
  ids = [],
  project = "/work",
  agent = "demo",
  parent,
  second = 0,
  begun = second,
}: DemoSession): AsyncGenerator<CanonicalEvent> {
  const time = timeAt(second);
  const above = parent === undefined ? {} : { parent_session_id: parent };
  const fields = { ...above, source_agent: agent, created_at: timeAt(begun), project, options: {} };
  yield { kind: "session", session: sessionFromWire({ id, ...fields }) };
  for (const [at, text] of texts.entries()) {
    const messageId = ids[at] ?? `m${at}`;
    const base = { session_id: id, message_id: messageId, provenance: "conversational" };
    const content = [text].flat().map((each, place) => ({
      ...base,
      id: String(place),
      type: "text",
      text: each,
      options: { "a b": [messageId] },
    }));
    const header = { id: messageId, session_id: id, timestamp: time, role: "user", options: {} };
    const message = messageFromWire({ ...header, content });
    const { content: _, ...rest } = message;
    yield { kind: "message", message: rest as typeof message };
    for (const part of partsOf(message)) yield { kind: "part", part };
  }
}

function timeAt(second: number): string {
  return `2026-01-01T00:00:${String(second).padStart(2, "0")}.000001Z`;
}

/** A session that says each of these words, in a message of that id before the first colon. */
export function saying(words: string, session: Partial<DemoSession> = {}): DemoSession {
  const texts = words.split(" ");
  return { id: "s", ...session, texts, ids: texts.map((text) => text.split(":")[0] ?? "") };
}

/** What a session shows: the texts of its messages, in order. */
export async function shown(sessions: SessionStore, id: string = "s"): Promise<string> {
  await sessions.store.refresh();
  const { root } = await loadLineage(sessions, id);
  const texts = root.messages.flatMap((message) =>
    partsOf(message).flatMap((part) => (part.type === "text" ? [part.text] : [])),
  );
  return texts.join(" ");
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

/** A store with the same rows, some of them changed as nobody writes them, or gone. */
export async function damagedCopy(
  from: SessionStore,
  damage: (table: string, row: Row) => Row | undefined,
): Promise<SessionStore> {
  const to = await openStore();
  for (const { name, columns } of sessionTables) {
    const read = await from.store.table(name).rows({ columns: Object.keys(columns) });
    const rows = read.map((row) => damage(name, row)).filter((row) => row !== undefined);
    const cells = Object.keys(columns).map((column) => [
      column,
      rows.map((row) => row[column] ?? null),
    ]);
    await to.store.table(name).insert(Object.fromEntries(cells));
  }
  return to;
}

/** Breaks a cell of the rows of one id. */
export function breaking(table: string, id: string, column: string) {
  return (name: string, row: Row): Row =>
    name === table && row["id"] === id ? { ...row, [column]: `x${row[column]}` } : row;
}

/** Every file below a folder. */
export function filesBelow(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String).sort() : [];
}
