import { eq, type Row, type Store } from "@pond/substrate";
import type { StoredMessage } from "./reconcile.ts";

/** What `storedMessage` needs of a row. */
export const storedColumns = ["id", "ordinal", "digest", "revises", "revision"] as const;

/** The stored rows of a session, carriers included, as reconciling needs them. */
export async function storedMessages(store: Store, sessionId: string): Promise<StoredMessage[]> {
  const where = eq("session_id", sessionId);
  const rows = await store.table("messages").rows({ columns: storedColumns, where });
  return rows.map(storedMessage);
}

export function storedMessage(row: Row): StoredMessage {
  return {
    id: String(row["id"]),
    ordinal: BigInt(row["ordinal"] as bigint),
    digest: row["digest"] as string | null,
    revises: row["revises"] as string | null,
    revision: BigInt(row["revision"] as bigint),
  };
}
