import { and, eq } from "@pond/substrate";
import type { AddedAt } from "../ingest/outcome.ts";
import type { SessionStore } from "../session-store.ts";

const sessionColumns = { sessions: "id", messages: "session_id", parts: "session_id" } as const;

/**
 * True if a table holds a row of a session with this stored time (`added_at` of an outcome). A
 * table that was set back to before then does not.
 */
export async function isStillStored(
  { store }: SessionStore,
  table: keyof AddedAt,
  sessionId: string,
  addedAt: bigint,
): Promise<boolean> {
  const where = and(eq(sessionColumns[table], sessionId), eq("ingested_at", { micros: addedAt }));
  const rows = await store.table(table).rows({ columns: ["ingested_at"], where, limit: 1 });
  return rows.length > 0;
}
