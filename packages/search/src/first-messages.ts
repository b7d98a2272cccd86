import { type SessionStore, searchable } from "@pond/sessions";
import { and, type Filter, oneOf, type Row } from "@pond/substrate";
import { type FoundMessage, keyText, loadMessages } from "./message.ts";

/**
 * What a person said first in each of these sessions, as far as it is in scope. If nobody did, what
 * was said first by anyone.
 */
export async function loadFirstMessages(
  sessions: SessionStore,
  sessionIds: readonly string[],
  scope?: Filter,
): Promise<Map<string, FoundMessage>> {
  if (sessionIds.length === 0) return new Map();
  const first = new Map<string, Row>();
  const columns = ["session_id", "id", "ordinal", "role"];
  const where = and(oneOf("session_id", sessionIds), searchable, ...(scope ? [scope] : []));
  for await (const rows of sessions.store.table("messages").scan({ columns, where })) {
    for (const row of rows) {
      const sessionId = String(row["session_id"]);
      const known = first.get(sessionId);
      if (known === undefined || isBefore(row, known)) first.set(sessionId, row);
    }
  }
  const keys = [...first].map(([sessionId, { id }]) => ({ sessionId, id: String(id) }));
  const wanted = new Set(keys.map(keyText));
  // Ids of one session may also be ids of another session's messages.
  const messages = (await loadMessages(sessions, keys)).filter((each) => wanted.has(keyText(each)));
  return new Map(messages.map((message) => [message.sessionId, message]));
}

function isBefore(left: Row, right: Row): boolean {
  const [isUser, isOther] = [left, right].map(({ role }) => role === "user");
  if (isUser !== isOther) return isUser === true;
  return BigInt(left["ordinal"] as bigint) < BigInt(right["ordinal"] as bigint);
}
