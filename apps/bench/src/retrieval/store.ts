import { existsSync } from "node:fs";
import { join } from "node:path";
import { adapters } from "@pond/adapters";
import type { Embedder } from "@pond/embed";
import { openSessions, rootOf, type SessionStore, searchable } from "@pond/sessions";
import { and, isNull } from "@pond/substrate";
import { discoverSources, type SyncOptions, sync } from "@pond/sync";
import { writeClientHomes } from "./client-homes.ts";
import type { RetrievalSet, SetSession } from "./set.ts";

/** A message as search has it, under its root session. */
export type StoredMessage = { readonly id: string; readonly root: string; readonly text: string };

/** Everything in one store, and which stored session is which session of a set. */
export type Haystack = {
  readonly sessions: SessionStore;
  readonly messages: readonly StoredMessage[];
  /** Stored root session -> id in its set; those of the corpus are in none. */
  readonly setIds: ReadonlyMap<string, string>;
  /** Stored message, as `root/message` -> ids in its set. */
  readonly messageIds: ReadonlyMap<string, readonly string[]>;
  readonly counts: Readonly<Record<string, number>>;
};

export type HaystackOptions = {
  /** Real sessions to hide the sets among: a folder for each client. */
  readonly corpus?: string | undefined;
  /** Gives every message a vector. */
  readonly embedder?: Embedder | undefined;
};

/**
 * Writes the sets as client sessions in `folder`, and syncs them into one store.
 *
 * @throws {Error} if a session of a set did not arrive, or not with all its texts.
 */
export async function openHaystack(
  sets: readonly RetrievalSet[],
  folder: string,
  { corpus, embedder }: HaystackOptions = {},
): Promise<Haystack> {
  const { homes, byProject } = await writeClientHomes(sets, join(folder, "homes"));
  const paths = Object.fromEntries(
    [...homes].map(([origin, home]) => {
      const real = corpus === undefined ? [] : [join(corpus, origin)];
      return [origin, [home, ...real.filter((path) => existsSync(path))]];
    }),
  );
  const environment = { home: folder, env: {} };
  const sources = discoverSources(adapters, { environment, paths });
  const sessions = await openSessions(join(folder, "store"), { mode: "write" });
  const options: SyncOptions = {
    ...{ stateDirectory: join(folder, "state"), host: "bench", now: () => new Date() },
    ...(embedder && { embedder }),
    isFoldForced: true,
  };
  const report = await sync(sessions, sources, options);
  const counts = Object.fromEntries(
    report.adapters.map(({ name, sessions: { seen } }) => [name, seen]),
  );
  const { roots, projects } = await rootsOf(sessions);
  const messages = await messagesOf(sessions, roots);
  return { sessions, messages, counts, ...identify(messages, projects, byProject) };
}

/** The root of each session, and the project of each root. */
async function rootsOf({ store }: SessionStore): Promise<{
  readonly roots: ReadonlyMap<string, string>;
  readonly projects: ReadonlyMap<string, string>;
}> {
  const columns = ["id", "parent_session_id", "project"];
  const parents = new Map<string, string | null>();
  const projects = new Map<string, string>();
  for await (const rows of store.table("sessions").scan({ columns })) {
    for (const { id, parent_session_id: parent, project } of rows) {
      parents.set(String(id), parent === null ? null : String(parent));
      projects.set(String(id), String(project));
    }
  }
  const roots = new Map([...parents.keys()].map((id) => [id, rootOf(parents, id)]));
  return { roots, projects: new Map([...projects].filter(([id]) => roots.get(id) === id)) };
}

async function messagesOf(
  { store }: SessionStore,
  roots: ReadonlyMap<string, string>,
): Promise<StoredMessage[]> {
  const messages: StoredMessage[] = [];
  const columns = ["session_id", "id", "search_text"];
  const where = and(searchable, isNull("revises"));
  for await (const rows of store.table("messages").scan({ columns, where })) {
    for (const { session_id: session, id, search_text: text } of rows) {
      const root = roots.get(String(session));
      if (root !== undefined) messages.push({ id: String(id), root, text: String(text) });
    }
  }
  return messages;
}

function identify(
  messages: readonly StoredMessage[],
  projects: ReadonlyMap<string, string>,
  byProject: ReadonlyMap<string, SetSession>,
): Pick<Haystack, "setIds" | "messageIds"> {
  const byRoot = Map.groupBy(messages, ({ root }) => root);
  const setIds = new Map<string, string>();
  const messageIds = new Map<string, string[]>();
  for (const [root, project] of projects) {
    const session = byProject.get(project);
    if (session === undefined) continue;
    setIds.set(root, session.id);
    const stored = byRoot.get(root) ?? [];
    for (const message of session.messages) {
      if (!("text" in message)) continue;
      const holders = stored.filter(({ text }) => text.includes(message.text.trim()));
      if (holders.length === 0) throw new Error(`${session.id}: not stored: ${message.text}`);
      if (message.id === undefined) continue;
      for (const { id } of holders) {
        const key = `${root}/${id}`;
        messageIds.set(key, [...(messageIds.get(key) ?? []), message.id]);
      }
    }
  }
  if (setIds.size < byProject.size) {
    throw new Error(`${byProject.size - setIds.size} of ${byProject.size} sessions not stored`);
  }
  return { setIds, messageIds };
}
