import { holdsAdded, type SessionStore } from "@pond/sessions";
import type { Stored } from "./seen-file.ts";

/** What is known of a store that is not there. */
export const nothingStored: Stored = { messages: 0, holds: async () => false };

/** What a store holds now. Messages are counted from metadata, which costs nothing. */
export async function storedIn(sessions: SessionStore): Promise<Stored> {
  return {
    messages: await sessions.store.table("messages").count(),
    holds: ({ sessionId, atMicros }) => holdsAdded(sessions, sessionId, BigInt(atMicros)),
  };
}
