import { and, eq } from "@pond/substrate";
import type { SessionStore } from "../session-store.ts";

/**
 * True where the store holds a message or a session that was stamped with this time (`added_at` of
 * an outcome): one that was set back to before then does not.
 */
export async function holdsAdded(
  { store }: SessionStore,
  sessionId: string,
  addedAt: bigint,
): Promise<boolean> {
  const isAdded = eq("ingested_at", { micros: addedAt });
  // A session may hold nothing but itself.
  for (const [table, id] of [
    ["messages", "session_id"],
    ["sessions", "id"],
  ] as const) {
    const where = and(eq(id, sessionId), isAdded);
    const rows = await store.table(table).rows({ columns: ["ingested_at"], where, limit: 1 });
    if (rows.length > 0) return true;
  }
  return false;
}
