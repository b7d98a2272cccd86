import type { SessionStore } from "../session-store.ts";

/** The clients of which something is stored, by name. */
export async function storedAgents({ store }: SessionStore): Promise<string[]> {
  const agents = new Set<string>();
  for await (const rows of store.table("sessions").scan({ columns: ["source_agent"] })) {
    for (const row of rows) agents.add(String(row["source_agent"]));
  }
  return [...agents].sort();
}
