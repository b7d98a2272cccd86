import { stringifyJson } from "@pond/canonical";
import { eq, type Store } from "@pond/substrate";
import { Columns } from "../rows/columns.ts";
import { type Labels, windowRow } from "../rows/to-rows.ts";
import type { Window } from "./windows.ts";

const noIds = stringifyJson([]);

type StoredWindow = {
  readonly text: unknown;
  readonly ids: unknown;
  readonly timestamp: bigint;
  readonly sourceAgent: unknown;
  readonly project: unknown;
};

/**
 * The windows to write for a session that changed: those that are new or differ, and an empty one
 * for each that no longer begins where it did, so that search does not find its text twice. What it
 * was called before stays a name to find it by.
 */
export async function changedWindows(
  store: Store,
  labels: Labels,
  windows: readonly Window[],
): Promise<Window[]> {
  const stored = await storedWindows(store, labels.sessionId);
  const changed = windows.filter(({ id, text, messageIds }) => {
    const known = stored.get(id);
    stored.delete(id);
    if (known?.text !== text || known.ids !== stringifyJson(messageIds)) return true;
    return !isOf(labels, known);
  });
  return [...changed, ...emptied(stored, labels)];
}

/**
 * Writes windows: those that are new are inserted, and of those that are there only the ones that
 * differ are overwritten. An overwritten row loses its place in every index, and writers that
 * overwrite the same rows at once can get an error from the engine that no retry helps.
 */
export async function writeWindows(store: Store, rows: Columns): Promise<void> {
  const table = store.table("windows");
  const { present } = await table.insert(rows.batch());
  if (present === 0) return;
  const stored = new Map<unknown, Map<string, StoredWindow>>();
  const differing = new Columns();
  for (let at = 0; at < rows.length; at++) {
    const row = rows.row(at);
    const sessionId = String(row["session_id"]);
    const known = stored.get(sessionId) ?? (await storedWindows(store, sessionId));
    stored.set(sessionId, known);
    const there = known.get(String(row["id"]));
    const isEqual = there?.text === row["text"] && there?.ids === row["message_ids"];
    const isOwn = there?.sourceAgent === row["source_agent"] && there?.project === row["project"];
    if (!isEqual || !isOwn) differing.push(row);
  }
  await table.replace(differing.batch());
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
  for (const window of emptied(stored, labels)) rows.push(windowRow(labels, window));
  await store.table("windows").replace(rows.batch());
}

/** Empties the windows that another session of that id has left. */
export async function emptyForeignWindows(store: Store, labels: Labels): Promise<void> {
  const stored = await storedWindows(store, labels.sessionId);
  for (const [id, window] of stored) if (isOf(labels, window)) stored.delete(id);
  const rows = new Columns();
  for (const window of emptied(stored, labels)) rows.push(windowRow(labels, window));
  await store.table("windows").replace(rows.batch());
}

async function storedWindows(store: Store, sessionId: string): Promise<Map<string, StoredWindow>> {
  const columns = ["id", "text", "message_ids", "timestamp", "source_agent", "project"];
  const rows = await store.table("windows").rows({ columns, where: eq("session_id", sessionId) });
  return new Map(
    rows.map(({ id, text, message_ids: ids, timestamp, source_agent: sourceAgent, project }) => [
      String(id),
      { text, ids, timestamp: BigInt(timestamp as bigint), sourceAgent, project },
    ]),
  );
}

function emptied(stored: ReadonlyMap<string, StoredWindow>, labels: Labels): Window[] {
  return [...stored].flatMap(([id, window]) => {
    const { ids, text, timestamp } = window;
    // Empty already, or of a title that it had; one of another session is no name of it.
    const isLeft = ids === noIds && (text === null || isOf(labels, window));
    return isLeft ? [] : [{ id, timestamp, text: null, messageIds: [] }];
  });
}

function isOf({ sourceAgent, project }: Labels, window: StoredWindow): boolean {
  return window.sourceAgent === sourceAgent && window.project === project;
}
