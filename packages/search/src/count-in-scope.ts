import { type SessionStore, searchable } from "@pond/sessions";
import { and, type Filter } from "@pond/substrate";
import { evictOldest } from "./evict-oldest.ts";
import type { SearchRequest } from "./request.ts";

type CachedCount = { readonly rows: number; readonly count: number };

const maxCachedCounts = 64;
const countCaches = new WeakMap<SessionStore, Map<string, CachedCount>>();

/**
 * How many searchable messages the filters leave. The answer is cached: it holds until a message is
 * added, because none is ever changed or removed.
 */
export async function countInScope(
  sessions: SessionStore,
  where: Filter | undefined,
  { project, session, agent, role, since, until }: SearchRequest,
): Promise<number> {
  const scopeKey = JSON.stringify([project, session, agent, role, since, until]);
  const messages = sessions.store.table("messages");
  const counts = countCaches.get(sessions) ?? new Map<string, CachedCount>();
  countCaches.set(sessions, counts);
  const rows = await messages.count();
  const kept = counts.get(scopeKey);
  if (kept?.rows === rows) return kept.count;
  const count = await messages.count(where ? and(where, searchable) : searchable);
  counts.delete(scopeKey);
  counts.set(scopeKey, { rows, count });
  evictOldest(counts, maxCachedCounts);
  return count;
}
