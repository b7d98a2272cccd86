import { and, eq, type Filter, oneOf } from "@pond/substrate";

// A longer list costs more than reading the whole session.
export const maxIdsInFilter = 500;

/** At least the rows of these ids; for very many ids, all rows of the session. */
export function withinSession(sessionId: string, column: string, ids: readonly string[]): Filter {
  const ofSession = eq("session_id", sessionId);
  return ids.length > maxIdsInFilter ? ofSession : and(ofSession, oneOf(column, ids));
}
