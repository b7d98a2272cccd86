import { oneOf, type Row, rowId, type Store } from "@pond/substrate";
import type { StoredMessage } from "./reconcile.ts";

/** The columns that `storedMessage` needs. */
export const storedColumns = [
  "id",
  "ordinal",
  "timestamp",
  "digest",
  "revises",
  "revision",
] as const;

/**
 * A stored row with its number and role, whether it has a text to search, and when it was added.
 */
export type FoundMessage = StoredMessage & {
  readonly row: bigint;
  readonly role: string;
  readonly isSearchable: boolean;
  readonly ingestedAt: bigint;
};

/** The stored rows of sessions, carriers included, as reconciling needs them; by session. */
export async function storedMessages(
  store: Store,
  sessionIds: readonly string[],
): Promise<Map<string, FoundMessage[]>> {
  const stored = new Map<string, FoundMessage[]>();
  const columns = [...storedColumns, "session_id", "role", "is_searchable", "ingested_at", rowId];
  const where = oneOf("session_id", sessionIds);
  for await (const rows of store.table("messages").scan({ columns, where })) {
    for (const row of rows) {
      const id = String(row["session_id"]);
      const known = stored.get(id);
      const found = {
        ...storedMessage(row),
        row: BigInt(row[rowId] as bigint),
        role: String(row["role"]),
        isSearchable: Number(row["is_searchable"]) === 1,
        ingestedAt: BigInt(row["ingested_at"] as bigint),
      };
      if (known) known.push(found);
      else stored.set(id, [found]);
    }
  }
  return stored;
}

/** A message, read from its row. */
export function storedMessage(row: Row): StoredMessage {
  return {
    id: String(row["id"]),
    ordinal: BigInt(row["ordinal"] as bigint),
    timestamp: BigInt(row["timestamp"] as bigint),
    digest: row["digest"] as string | null,
    revises: row["revises"] as string | null,
    revision: BigInt(row["revision"] as bigint),
  };
}
