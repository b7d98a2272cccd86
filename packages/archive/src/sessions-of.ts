import type { Labels, SessionStart } from "@pond/sessions/rows";
import type { Filter, Store } from "@pond/substrate";

/** What is known about sessions without reading any, by their ids. */
export type Sessions = ReadonlyMap<string, Labels & SessionStart>;

/** How the sessions of a store are labelled. */
export async function sessionsOf(store: Store, where?: Filter): Promise<Sessions> {
  const sessions = new Map<string, Labels & SessionStart>();
  const columns = ["id", "source_agent", "project", "created_at"];
  for await (const rows of store.table("sessions").scan({ columns, where })) {
    for (const row of rows) {
      const [sessionId, sourceAgent] = [String(row["id"]), String(row["source_agent"])];
      const [project, createdAt] = [String(row["project"]), BigInt(row["created_at"] as bigint)];
      sessions.set(sessionId, { sessionId, sourceAgent, project, createdAt });
    }
  }
  return sessions;
}
