import type { Session } from "@pond/canonical";

/**
 * The names that a client's session may have in the store, where another session may have its id.
 */
export async function possibleStoredIds(session: Session): Promise<readonly string[]> {
  const { qualifiedId } = await import("@pond/sessions");
  const { startOf, idWithStart } = await import("@pond/sessions/rows");
  const { id, source_agent: agent } = session;
  return [id, qualifiedId(agent, id), idWithStart(id, startOf(session))];
}
