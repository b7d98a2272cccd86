import { childrenOf, type SessionStore } from "@pond/sessions";
import { evictOldest } from "./evict-oldest.ts";
import type { SessionCache } from "./session-cache.ts";

const maxCachedCounts = 20_000;
// A root may have a hundred thousand; the reader of an answer wants to know whether there are few
// or many.
const maxCounted = 5_000;
const maxListed = 20_000;

/**
 * How many sessions are stored below each of these roots, at any depth; very many are not all
 * counted.
 */
export async function countSubAgents(
  sessions: SessionStore,
  { descendantCounts, isComplete }: SessionCache,
  rootIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const wanted = new Map(rootIds.map((id) => [id, descendantCounts.get(id)]));
  const missing = isComplete ? [] : rootIds.filter((id) => wanted.get(id) === undefined);
  for (const [root, count] of await countDescendants(sessions, missing)) {
    descendantCounts.set(root, count);
    wanted.set(root, count);
  }
  if (!isComplete) evictOldest(descendantCounts, maxCachedCounts);
  return new Map([...wanted].map(([root, count]) => [root, count ?? 0]));
}

/** The sessions stored below these roots, at any depth; of very many, not all. */
export async function subAgentsOf(
  sessions: SessionStore,
  cache: SessionCache,
  rootIds: readonly string[],
): Promise<string[]> {
  const counts = await countSubAgents(sessions, cache, rootIds);
  const parents = rootIds.filter((id) => counts.get(id) !== 0);
  return [...(await rootsOfDescendants(sessions, parents, maxListed)).keys()];
}

async function countDescendants(
  sessions: SessionStore,
  roots: readonly string[],
): Promise<Map<string, number>> {
  const counts = new Map(roots.map((id) => [id, 0]));
  for (const root of (await rootsOfDescendants(sessions, roots, maxCounted)).values()) {
    counts.set(root, (counts.get(root) ?? 0) + 1);
  }
  return counts;
}

/**
 * The sessions below these roots, each with its root.
 *
 * @param atMost - For one level.
 */
async function rootsOfDescendants(
  { store }: SessionStore,
  roots: readonly string[],
  limit: number,
): Promise<Map<string, string>> {
  const known = new Map(roots.map((id) => [id, id]));
  for (let level = roots; level.length > 0; ) {
    const children = await childrenOf(store, level, { limit });
    const below: string[] = [];
    for (const [id, parent] of children) {
      const root = known.get(parent);
      // A session met twice descends from itself.
      if (root === undefined || known.has(id)) continue;
      known.set(id, root);
      below.push(id);
    }
    level = children.size < limit ? below : [];
  }
  for (const id of roots) known.delete(id);
  return known;
}
