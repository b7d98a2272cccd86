import { rootOf, type SessionStore } from "@pond/sessions";
import type { Filter } from "@pond/substrate";

export type SessionLabels = {
  readonly parentId: string | null;
  readonly parentMessageId: string | null;
  readonly sourceAgent: string;
  readonly project: string;
  readonly createdAt: bigint;
};

/** What a process keeps of the sessions of a store. */
export type KnownSessions = {
  /** By id. Once stored they never change. */
  readonly labels: Map<string, SessionLabels>;
  /** How many sessions are below a root, at any depth: this holds for as many rows. */
  readonly below: Map<string, number>;
  readonly rows: number;
  /** True where `labels` are those of all; a root that `below` lacks has none. */
  readonly isWhole: boolean;
};

// 20,000 take 10 ms, which two searches take to ask for theirs; 50,000 take 60 ms, and 20 MB.
const readAtOnce = { first: 20_000, again: 100_000 } as const;
const columns = [
  ...["id", "parent_session_id", "parent_message_id"],
  ...["source_agent", "project", "created_at"],
];

const kept = new WeakMap<SessionStore, KnownSessions>();

/**
 * What is known before a search: asked once by each.
 *
 * @param limits - How many sessions are read at once, by a process that asks for the first time and
 *   by one that asks again.
 */
export async function knownSessions(
  sessions: SessionStore,
  limits: { readonly first: number; readonly again: number } = readAtOnce,
): Promise<KnownSessions> {
  const rows = await sessions.store.table("sessions").count();
  const before = kept.get(sessions);
  const isSame = before?.rows === rows;
  if (isSame && (before.isWhole || rows > limits.again)) return before;
  const isToRead = rows <= (isSame ? limits.again : limits.first);
  const labels = before?.labels ?? new Map();
  const known = isToRead
    ? await readAll(sessions)
    : { labels, below: new Map(), rows, isWhole: false };
  kept.set(sessions, known);
  return known;
}

async function readAll(sessions: SessionStore): Promise<KnownSessions> {
  const labels = await readLabels(sessions);
  const parents = new Map([...labels].map(([id, { parentId }]) => [id, parentId]));
  const below = new Map<string, number>();
  for (const [id, parentId] of parents) {
    if (parentId === null) continue;
    const root = rootOf(parents, id);
    if (root !== id) below.set(root, (below.get(root) ?? 0) + 1);
  }
  return { labels, below, rows: labels.size, isWhole: true };
}

/** The labels of these sessions, or of all. */
export async function readLabels(
  { store }: SessionStore,
  where?: Filter,
): Promise<Map<string, SessionLabels>> {
  const labels = new Map<string, SessionLabels>();
  // Few projects have many sessions: each name is held once.
  const names = new Map<string, string>();
  const nameOf = (value: unknown): string => {
    const name = String(value);
    const known = names.get(name);
    if (known === undefined) names.set(name, name);
    return known ?? name;
  };
  for await (const rows of store.table("sessions").scan({ columns, where })) {
    for (const row of rows) {
      const { parent_session_id: parent, parent_message_id: message, created_at: began } = row;
      labels.set(String(row["id"]), {
        parentId: typeof parent === "string" ? parent : null,
        parentMessageId: typeof message === "string" ? message : null,
        sourceAgent: nameOf(row["source_agent"]),
        project: nameOf(row["project"]),
        createdAt: typeof began === "bigint" ? began : 0n,
      });
    }
  }
  return labels;
}
