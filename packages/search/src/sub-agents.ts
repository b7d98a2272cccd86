import type { SessionStore } from "@pond/sessions";
import { oneOf } from "@pond/substrate";

type Counted = { readonly rows: number; readonly byRoot: Map<string, number> };

const known = new WeakMap<SessionStore, Counted>();

// A root may have a hundred thousand; who reads the answer wants to know of few or many.
const readAtMost = 5_000;

/**
 * How many sessions are stored below each of these roots, at any depth; of very many not all. The
 * answers are kept: they hold while no session was added.
 */
export async function countSubAgents(
  sessions: SessionStore,
  rootIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await sessions.store.table("sessions").count();
  const kept = known.get(sessions);
  const byRoot = kept?.rows === rows ? kept.byRoot : new Map<string, number>();
  known.set(sessions, { rows, byRoot });
  const missing = rootIds.filter((id) => !byRoot.has(id));
  for (const [root, count] of await countBelow(sessions, missing)) byRoot.set(root, count);
  return byRoot;
}

async function countBelow(
  { store }: SessionStore,
  roots: readonly string[],
): Promise<Map<string, number>> {
  const counts = new Map(roots.map((id) => [id, 0]));
  const rootOf = new Map(roots.map((id) => [id, id]));
  for (let level = roots; level.length > 0; ) {
    const rows = await store.table("sessions").rows({
      columns: ["id", "parent_session_id"],
      where: oneOf("parent_session_id", level),
      limit: readAtMost,
    });
    const below: string[] = [];
    for (const row of rows) {
      const id = String(row["id"]);
      const root = rootOf.get(String(row["parent_session_id"]));
      // A session met twice descends from itself.
      if (root === undefined || rootOf.has(id)) continue;
      rootOf.set(id, root);
      counts.set(root, (counts.get(root) ?? 0) + 1);
      below.push(id);
    }
    level = rows.length < readAtMost ? below : [];
  }
  return counts;
}
