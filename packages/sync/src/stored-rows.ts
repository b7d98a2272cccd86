import { isStillStored, type SessionStore } from "@pond/sessions";
import type { StoredRows } from "./seen-file.ts";

/** What is known about a store that does not exist. */
export const noStoredRows: StoredRows = {
  rows: { sessions: 0, messages: 0, parts: 0 },
  holds: async () => false,
};

/** What a store holds now. Rows are counted from metadata, which costs nothing. */
export async function readStoredRows(sessions: SessionStore): Promise<StoredRows> {
  const countOf = (table: string): Promise<number> => sessions.store.table(table).count();
  return {
    rows: {
      sessions: await countOf("sessions"),
      messages: await countOf("messages"),
      parts: await countOf("parts"),
    },
    holds: ({ table, sessionId, atMicros }) =>
      isStillStored(sessions, table, sessionId, BigInt(atMicros)),
  };
}
