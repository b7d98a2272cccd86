import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@pond/adapters";
import type { Embedder } from "@pond/embed";
import { openSessions, type SessionStore, searchable } from "@pond/sessions";
import { discoverSources, sync } from "@pond/sync";

const messagesInSession = 50;
const wordsInQuery = 50;

/** A store of messages, each with a word of its own. */
export type EmbedStore = {
  readonly folder: string;
  readonly storage: string;
  /** The word that only this message has. */
  wordOf(message: number): string;
  /** Opens the store for reading. */
  read<T>(use: (sessions: SessionStore) => Promise<T>): Promise<T>;
  remove(): void;
};

/** Imports a number of messages, and brings the indexes up to date. */
export async function createEmbedStore(messages: number): Promise<EmbedStore> {
  const folder = mkdtempSync(join(tmpdir(), "pond-embed-"));
  const storage = join(folder, "store");
  const home = join(folder, "home");
  writeTranscripts(join(home, ".claude", "projects", "-work"), messages);
  const sessions = await openSessions(storage, { mode: "write" });
  const chosen = adapters.filter(({ origin }) => origin === "claude-code");
  const sources = discoverSources(chosen, { environment: { home, env: {} } });
  await sync(sessions, sources, {
    stateDirectory: join(folder, "state"),
    host: "checks",
    now: () => new Date(),
    isFoldForced: true,
  });
  sessions.close();
  return {
    folder,
    storage,
    wordOf,
    async read(use) {
      const reader = await openSessions(storage);
      try {
        return await use(reader);
      } finally {
        reader.close();
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function writeTranscripts(folder: string, messages: number): void {
  mkdirSync(folder, { recursive: true });
  for (let from = 0; from < messages; from += messagesInSession) {
    const session = `s${from / messagesInSession}`;
    const count = Math.min(messagesInSession, messages - from);
    const lines = Array.from({ length: count }, (_, at) => transcriptLine(session, from + at));
    writeFileSync(join(folder, `${session}.jsonl`), lines.join(""));
  }
}

function transcriptLine(session: string, message: number): string {
  const record = {
    type: "user",
    uuid: `m${message}`,
    parentUuid: null,
    sessionId: session,
    cwd: "/work",
    timestamp: "2026-03-01T09:00:00.000Z",
    message: { role: "user", content: textOf(message) },
  };
  return `${JSON.stringify(record)}\n`;
}

function wordOf(message: number): string {
  return `zq${message.toString(36)}q`;
}

function textOf(message: number): string {
  return `${wordOf(message)} is what the pond said in turn ${message % 97} of ${message % 7}`;
}

/** False for the text that is embedded only to see whether a model works. */
export function isMessageText(text: string): boolean {
  return text.startsWith("zq");
}

/** The texts for which vectors of a model are stored. */
export async function embeddedTexts(
  { store }: SessionStore,
  modelId: string,
): Promise<Set<string>> {
  const where = { op: "eq", column: "embedding_model", value: modelId } as const;
  const rows = await store.table("messages").rows({ columns: ["search_text"], where });
  return new Set(rows.map((row) => String(row["search_text"])));
}

/** What is wrong with a completely embedded store; empty if nothing is. */
export async function wrongEmbeddings(
  { store }: SessionStore,
  messages: number,
  embedder: Embedder,
): Promise<string[]> {
  const wrong: string[] = [];
  const columns = ["session_id", "id", "search_text", "embedding_model", "vector"];
  const rows = await store.table("messages").rows({ columns, where: searchable });
  const keys = new Set(rows.map((row) => `${row["session_id"]} ${row["id"]}`));
  if (rows.length !== messages) wrong.push(`${rows.length} rows, not ${messages}`);
  if (keys.size !== rows.length) wrong.push(`${rows.length - keys.size} rows twice`);
  for (let from = 0; from < rows.length; from += embedder.limits.maxTexts) {
    const some = rows.slice(from, from + embedder.limits.maxTexts);
    const texts = some.map((row) => String(row["search_text"]));
    const expected = await embedder.embed(texts, { kind: "passage" });
    for (const [at, row] of some.entries()) {
      const { embedding_model: model, vector } = row;
      const wanted = expected[at] ?? new Float32Array();
      if (model !== embedder.modelId) wrong.push(`${row["id"]} is of ${model}`);
      else if (!isNear(vector, wanted)) wrong.push(`${row["id"]} has another vector`);
    }
  }
  return wrong;
}

/** True for the same vector, apart from the rounding of float16. */
function isNear(stored: unknown, wanted: Float32Array): boolean {
  if (!(stored instanceof Float32Array) || stored.length !== wanted.length) return false;
  return stored.every((number, at) => Math.abs(number - (wanted[at] ?? 0)) < 1e-3);
}

/** What the text index misses: rows that it does not cover, messages that it does not find. */
export async function lostTexts({ store }: SessionStore, messages: number): Promise<string[]> {
  const lost: string[] = [];
  const table = store.table("messages");
  const { indexes } = await table.health();
  const index = indexes.find(({ column }) => column === "search_text");
  if (index?.unindexedRows !== 0) lost.push(`${index?.unindexedRows} rows not covered`);
  // A word finds only its own message, so many can be looked for at once.
  for (let from = 0; from < messages; from += wordsInQuery) {
    const count = Math.min(wordsInQuery, messages - from);
    const some = Array.from({ length: count }, (_, at) => from + at);
    const rows = await table.fullText({
      column: "search_text",
      query: { terms: some.map(wordOf).join(" ") },
      columns: ["id"],
      limit: 2 * count,
    });
    const found = rows.map(({ id }) => String(id));
    const wanted = new Set(some.map((message) => `m${message}`));
    lost.push(...[...wanted].filter((id) => !found.includes(id)));
    lost.push(...found.filter((id) => !wanted.delete(id)).map((id) => `${id} beside them`));
  }
  return lost;
}

export function linesOf(file: string): string[] {
  return readFileSync(file, { encoding: "utf8", flag: "a+" }).split("\n").slice(0, -1);
}
