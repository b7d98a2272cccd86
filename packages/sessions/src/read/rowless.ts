import type { SessionStore } from "../session-store.ts";

/**
 * Ids of the sessions that have messages and no row of their own, so that nothing shows them: the row
 * was lost, or an ingest broke off, or is going on.
 */
export async function rowlessIds({ store }: SessionStore): Promise<string[]> {
  const ids = new Set<string>();
  for await (const rows of store.table("messages").scan({ columns: ["session_id"] })) {
    for (const row of rows) ids.add(String(row["session_id"]));
  }
  // Read behind the messages, for it comes behind them.
  const sessions = store.table("sessions");
  await sessions.refresh();
  for await (const rows of sessions.scan({ columns: ["id"] })) {
    for (const row of rows) ids.delete(String(row["id"]));
  }
  return [...ids];
}
