import type { Session } from "@pond/canonical";

/**
 * The names that a client's session may have in the store, where another session may have its id.
 */
export async function storedNames(session: Session): Promise<readonly string[]> {
  const { idApart } = await import("@pond/sessions");
  const { begunOf, idBegunElsewhere } = await import("@pond/sessions/rows");
  const { id, source_agent: agent } = session;
  return [id, idApart(agent, id), idBegunElsewhere(id, begunOf(session))];
}
