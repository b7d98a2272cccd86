import type { Adapter, SessionContent } from "@pond/canonical/adapter";
import type { SessionStore } from "@pond/sessions";
import { NothingStoredError } from "./errors.ts";
import { ancestorIds, storedSessions } from "./stored-sessions.ts";

/**
 * The session that a client continues when it is asked for another: that one itself, or the nearest
 * above it that the client takes. A translated copy stands by itself.
 */
export async function resumedSession(
  sessions: SessionStore,
  asked: SessionContent,
  { origin, resumesInParent }: Adapter,
): Promise<SessionContent> {
  const { id, source_agent } = asked.session;
  if (source_agent !== origin || !resumesInParent?.(asked)) return asked;
  const { loadLineage } = await import("@pond/sessions");
  const stored = await storedSessions(sessions);
  for (const ancestor of ancestorIds(stored, id)) {
    if (stored.get(ancestor)?.source_agent !== origin) break;
    const { root } = await loadLineage(sessions, ancestor);
    if (!resumesInParent(root)) return root;
  }
  throw new NothingStoredError(
    `${origin} continues ${id} only in the session above it, and none that it accepts is stored: \`pond resume ${id} --to CLIENT\` continues in another client`,
    { session: id, client: origin },
  );
}
