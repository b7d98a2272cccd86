import { stringifyJson } from "@pond/canonical";
import { eq, type Store } from "@pond/substrate";
import type { Labels } from "./to-rows.ts";
import type { Window } from "./windows.ts";

/**
 * The windows to write for a session that changed: those that are new or differ, and an empty one
 * for each that no longer begins where it did, so that search does not find its text twice.
 */
export async function changedWindows(
  store: Store,
  { sessionId }: Labels,
  windows: readonly Window[],
): Promise<Window[]> {
  const stored = new Map<string, { text: unknown; ids: unknown; timestamp: bigint }>();
  const columns = ["id", "text", "message_ids", "timestamp"];
  const where = eq("session_id", sessionId);
  for (const row of await store.table("windows").rows({ columns, where })) {
    const { id, text, message_ids: ids, timestamp } = row;
    stored.set(String(id), { text, ids, timestamp: BigInt(timestamp as bigint) });
  }
  const changed = windows.filter(({ id, text, messageIds }) => {
    const known = stored.get(id);
    stored.delete(id);
    return known?.text !== text || known.ids !== stringifyJson(messageIds);
  });
  const emptied = [...stored].flatMap(([id, { text, timestamp }]) =>
    text === null ? [] : [{ id, timestamp, text: null, messageIds: [] }],
  );
  return [...changed, ...emptied];
}
