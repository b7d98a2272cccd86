import type { SessionStore, StoredState } from "@pond/sessions";

/** The few fields of a session that say where it belongs. */
export type StoredSession = {
  readonly id: string;
  readonly parent: string | undefined;
  readonly source_agent: string;
};

/** Every stored session by id, with its parent as its source says now, or said first. */
export async function storedSessions(
  sessions: SessionStore,
  at: StoredState = "last",
): Promise<Map<string, StoredSession>> {
  const stored = new Map<string, StoredSession>();
  const columns = ["id", "parent_session_id", "source_agent"];
  const { revisedParents } = await import("@pond/sessions");
  const revised = at === "last" ? await revisedParents(sessions.store) : undefined;
  for await (const rows of sessions.store.table("sessions").scan({ columns })) {
    for (const row of rows) {
      const id = String(row["id"]);
      const parent = (revised?.get(id) ?? { parentId: row["parent_session_id"] }).parentId;
      stored.set(id, {
        id,
        parent: typeof parent === "string" ? parent : undefined,
        source_agent: String(row["source_agent"]),
      });
    }
  }
  return stored;
}

/**
 * The stored sessions above `id`, nearest first; includes `id` itself if it descends from itself.
 */
export function ancestorIds(stored: ReadonlyMap<string, StoredSession>, id: string): string[] {
  const ancestors: string[] = [];
  const seen = new Set<string>();
  for (let at = stored.get(id)?.parent; at !== undefined; at = stored.get(at)?.parent) {
    if (!stored.has(at) || seen.has(at)) break;
    seen.add(at);
    ancestors.push(at);
  }
  return ancestors;
}

/** The sessions below others that were written by another client than their parent. */
export function crossClientDescendantIds(
  stored: ReadonlyMap<string, StoredSession>,
  ids: readonly string[],
): string[] {
  const roots = new Set(ids);
  const isCrossClient = ({ parent, source_agent }: StoredSession): boolean => {
    const parentSession = parent === undefined ? undefined : stored.get(parent);
    return parentSession !== undefined && parentSession.source_agent !== source_agent;
  };
  return [...stored.values()]
    .filter((session) => isCrossClient(session) && !roots.has(session.id))
    .map(({ id }) => id)
    .filter((id) => ancestorIds(stored, id).some((ancestor) => roots.has(ancestor)));
}
