import { type RevisedParents, revisedParents, rootsOf, type SessionStore } from "@pond/sessions";
import { type Filter, gte } from "@pond/substrate";

export type SessionLabels = {
  readonly parentId: string | null;
  readonly parentMessageId: string | null;
  readonly sourceAgent: string;
  readonly project: string;
  readonly createdAt: bigint;
  readonly ingestedAt: bigint;
};

/** What a process remembers about the sessions of a store. */
export type SessionCache = {
  /** By id. Once stored, they never change, except for a parent that a source names late. */
  readonly labels: Map<string, SessionLabels>;
  /**
   * How many sessions are below a root, stored or not, at any depth, for as many rows as were
   * counted.
   */
  readonly descendantCounts: Map<string, number>;
  readonly rows: number;
  /** What the labels include already. */
  readonly revised: RevisedParents;
  /** True if `labels` holds all sessions; a root that `descendantCounts` lacks then has none. */
  readonly isComplete: boolean;
};

// Each takes about 400 bytes, and 50,000 are read in 60 ms; but a search over more than it knows
// asks for some four times. A process that asks once reads as many as can be read faster than asked
// for.
const readLimits = { first: 20_000, again: 100_000 } as const;
const columns = [
  ...["id", "parent_session_id", "parent_message_id"],
  ...["source_agent", "project", "created_at", "ingested_at"],
];

const caches = new WeakMap<SessionStore, Promise<SessionCache>>();

/**
 * Loads the cache, or brings it up to date; each search calls it once. Concurrent searches wait for
 * each other, so that none reads what another is reading.
 *
 * @param limits - How many sessions are read at once, by a process that asks for the first time and
 * by one that asks again.
 */
export function loadSessionCache(
  sessions: SessionStore,
  limits: { readonly first: number; readonly again: number } = readLimits,
): Promise<SessionCache> {
  const before = caches.get(sessions)?.catch(() => undefined);
  const now = refresh(sessions, before, limits);
  caches.set(sessions, now);
  return now;
}

async function refresh(
  sessions: SessionStore,
  before: Promise<SessionCache | undefined> | undefined,
  limits: { readonly first: number; readonly again: number },
): Promise<SessionCache> {
  const known = await before;
  const { store } = sessions;
  const [rows, revised] = await Promise.all([
    store.table("sessions").count(),
    revisedParents(store),
  ]);
  const hasSameRows = known?.rows === rows;
  const isSame = hasSameRows && known.revised === revised;
  if (isSame && (known.isComplete || rows > limits.again)) return known;
  if (known) applyRevisedParents(known.labels, revised);
  if (known?.isComplete && rows <= limits.again) {
    const labels = hasSameRows ? known.labels : await readNewer(sessions, known.labels);
    // Copied sessions may say that they were stored long ago.
    if (labels.size >= rows) return completeCache(labels, revised);
  }
  if (rows <= (hasSameRows ? limits.again : limits.first)) {
    return completeCache(await readLabels(sessions), revised);
  }
  return {
    labels: known?.labels ?? new Map(),
    descendantCounts: new Map(),
    rows,
    revised,
    isComplete: false,
  };
}

function applyRevisedParents(labels: Map<string, SessionLabels>, revised: RevisedParents): void {
  for (const [id, { parentId, parentMessageId }] of revised) {
    const own = labels.get(id);
    if (own !== undefined) labels.set(id, { ...own, parentId, parentMessageId });
  }
}

function completeCache(labels: Map<string, SessionLabels>, revised: RevisedParents): SessionCache {
  const parents = new Map([...labels].map(([id, { parentId }]) => [id, parentId]));
  const descendantCounts = new Map<string, number>();
  for (const [id, topmost] of rootsOf(parents)) {
    const root = rootAbove(parents, topmost);
    if (root !== id) descendantCounts.set(root, (descendantCounts.get(root) ?? 0) + 1);
  }
  return { labels, descendantCounts, rows: labels.size, revised, isComplete: true };
}

/**
 * The root above a topmost stored session: the parent it names if that is not stored, else the
 * session itself. So the sub-agents of a lost session stay together.
 */
export function rootAbove(parents: ReadonlyMap<string, string | null>, topmost: string): string {
  const parent = parents.get(topmost);
  // Sessions that descend from themselves have a stored parent.
  return typeof parent === "string" && !parents.has(parent) ? parent : topmost;
}

async function readNewer(
  sessions: SessionStore,
  labels: Map<string, SessionLabels>,
): Promise<Map<string, SessionLabels>> {
  let newest = 0n;
  for (const { ingestedAt } of labels.values()) if (ingestedAt > newest) newest = ingestedAt;
  for (const [id, own] of await readLabels(sessions, gte("ingested_at", { micros: newest }))) {
    labels.set(id, own);
  }
  return labels;
}

/** Reads the labels of these sessions, or of all. */
export async function readLabels(
  { store }: SessionStore,
  where?: Filter,
): Promise<Map<string, SessionLabels>> {
  const labels = new Map<string, SessionLabels>();
  // A few projects have many sessions, so each name is held once.
  const names = new Map<string, string>();
  const interned = (value: unknown): string => {
    const name = String(value);
    const known = names.get(name);
    if (known === undefined) names.set(name, name);
    return known ?? name;
  };
  const revised = await revisedParents(store);
  for await (const rows of store.table("sessions").scan({ columns, where })) {
    for (const row of rows) {
      const { parent_session_id: parent, parent_message_id: message } = row;
      labels.set(String(row["id"]), {
        parentId: typeof parent === "string" ? parent : null,
        parentMessageId: typeof message === "string" ? message : null,
        sourceAgent: interned(row["source_agent"]),
        project: interned(row["project"]),
        createdAt: timeOf(row["created_at"]),
        ingestedAt: timeOf(row["ingested_at"]),
      });
    }
  }
  applyRevisedParents(labels, revised);
  return labels;
}

function timeOf(cell: unknown): bigint {
  return typeof cell === "bigint" ? cell : 0n;
}
