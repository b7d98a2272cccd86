import { childrenOf, type SessionStore } from "@pond/sessions";
import { keepNewest } from "./kept.ts";
import type { KnownSessions } from "./known-sessions.ts";

const keptCounts = 20_000;
// A root may have a hundred thousand; the reader of an answer wants to know whether there are few
// or many.
const countedAtMost = 5_000;
const listedAtMost = 20_000;

/**
 * How many sessions are stored below each of these roots, at any depth; very many are not all
 * counted.
 */
export async function countSubAgents(
  sessions: SessionStore,
  { below, isWhole }: KnownSessions,
  rootIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const wanted = new Map(rootIds.map((id) => [id, below.get(id)]));
  const missing = isWhole ? [] : rootIds.filter((id) => wanted.get(id) === undefined);
  for (const [root, count] of await countBelow(sessions, missing)) {
    below.set(root, count);
    wanted.set(root, count);
  }
  if (!isWhole) keepNewest(below, keptCounts);
  return new Map([...wanted].map(([root, count]) => [root, count ?? 0]));
}

/** The sessions stored below these roots, at any depth; of very many, not all. */
export async function subAgentsOf(
  sessions: SessionStore,
  known: KnownSessions,
  rootIds: readonly string[],
): Promise<string[]> {
  const counts = await countSubAgents(sessions, known, rootIds);
  const parents = rootIds.filter((id) => counts.get(id) !== 0);
  return [...(await rootsBelow(sessions, parents, listedAtMost)).keys()];
}

async function countBelow(
  sessions: SessionStore,
  roots: readonly string[],
): Promise<Map<string, number>> {
  const counts = new Map(roots.map((id) => [id, 0]));
  for (const root of (await rootsBelow(sessions, roots, countedAtMost)).values()) {
    counts.set(root, (counts.get(root) ?? 0) + 1);
  }
  return counts;
}

/**
 * The sessions below these roots, each with its root.
 *
 * @param atMost - For one level.
 */
async function rootsBelow(
  { store }: SessionStore,
  roots: readonly string[],
  atMost: number,
): Promise<Map<string, string>> {
  const known = new Map(roots.map((id) => [id, id]));
  for (let level = roots; level.length > 0; ) {
    const children = await childrenOf(store, level, { limit: atMost });
    const below: string[] = [];
    for (const [id, parent] of children) {
      const root = known.get(parent);
      // A session met twice descends from itself.
      if (root === undefined || known.has(id)) continue;
      known.set(id, root);
      below.push(id);
    }
    level = children.size < atMost ? below : [];
  }
  for (const id of roots) known.delete(id);
  return known;
}
