import { type SessionStore, searchable } from "@pond/sessions";
import { and, type Filter } from "@pond/substrate";
import { keepNewest } from "./kept.ts";
import type { SearchRequest } from "./request.ts";

type Counted = { readonly rows: number; readonly count: number };

const keptCounts = 64;
const known = new WeakMap<SessionStore, Map<string, Counted>>();

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
  const counts = known.get(sessions) ?? new Map<string, Counted>();
  known.set(sessions, counts);
  const rows = await messages.count();
  const kept = counts.get(scopeKey);
  if (kept?.rows === rows) return kept.count;
  const count = await messages.count(where ? and(where, searchable) : searchable);
  counts.delete(scopeKey);
  counts.set(scopeKey, { rows, count });
  keepNewest(counts, keptCounts);
  return count;
}
