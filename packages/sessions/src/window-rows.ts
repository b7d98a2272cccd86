import { stringifyJson } from "@pond/canonical";
import { eq, type Store } from "@pond/substrate";
import { Columns } from "./columns.ts";
import { type Labels, windowRow } from "./to-rows.ts";
import type { Window } from "./windows.ts";

type StoredWindow = {
  readonly text: unknown;
  readonly ids: unknown;
  readonly timestamp: bigint;
};

/**
 * The windows to write for a session that changed: those that are new or differ, and an empty one
 * for each that no longer begins where it did, so that search does not find its text twice.
 */
export async function changedWindows(
  store: Store,
  { sessionId }: Labels,
  windows: readonly Window[],
): Promise<Window[]> {
  const stored = await storedWindows(store, sessionId);
  const changed = windows.filter(({ id, text, messageIds }) => {
    const known = stored.get(id);
    stored.delete(id);
    return known?.text !== text || known.ids !== stringifyJson(messageIds);
  });
  return [...changed, ...emptied(stored)];
}

/** Empties what a run that broke off left of windows that begin elsewhere now. */
export async function emptyOtherWindows(
  store: Store,
  labels: Labels,
  windowIds: readonly string[],
): Promise<void> {
  const stored = await storedWindows(store, labels.sessionId);
  for (const id of windowIds) stored.delete(id);
  const rows = new Columns();
  for (const window of emptied(stored)) rows.push(windowRow(labels, window));
  await store.table("windows").replace(rows.batch());
}

async function storedWindows(store: Store, sessionId: string): Promise<Map<string, StoredWindow>> {
  const columns = ["id", "text", "message_ids", "timestamp"];
  const rows = await store.table("windows").rows({ columns, where: eq("session_id", sessionId) });
  return new Map(
    rows.map(({ id, text, message_ids: ids, timestamp }) => [
      String(id),
      { text, ids, timestamp: BigInt(timestamp as bigint) },
    ]),
  );
}

function emptied(stored: ReadonlyMap<string, StoredWindow>): Window[] {
  return [...stored].flatMap(([id, { text, timestamp }]) =>
    text === null ? [] : [{ id, timestamp, text: null, messageIds: [] }],
  );
}
