import type { Session } from "@pond/canonical";

/** What a session that a client has may be called in the store: another one may have its id there. */
export async function storedNames(session: Session): Promise<readonly string[]> {
  const { idApart } = await import("@pond/sessions");
  const { begunOf, idBegunElsewhere } = await import("@pond/sessions/rows");
  const { id, source_agent: agent } = session;
  return [id, idApart(agent, id), idBegunElsewhere(id, begunOf(session))];
}
