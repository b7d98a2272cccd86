import { stringifyJson } from "@pond/canonical";
import { and, eq, type Filter, oneOf, type Row, type Store } from "@pond/substrate";
import { Columns } from "../rows/columns.ts";
import { type Labels, windowRow } from "../rows/to-rows.ts";
import type { Window } from "./windows.ts";

const noIds = stringifyJson([]);
// Each comes with its text.
const rowsPerQuery = 500;

type StoredWindow = {
  readonly text: unknown;
  readonly ids: unknown;
  readonly timestamp: bigint;
  readonly sourceAgent: unknown;
  readonly project: unknown;
};

/**
 * The windows to write for a session that changed: those that are new or differ, and an empty one
 * for each that no longer begins where it did, so that search does not find its text twice. A
 * former title remains a name to find it by.
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
    return !isOwnedBy(labels, known);
  });
  return [...changed, ...emptyWindows(stored, labels)];
}

/**
 * Writes windows: new ones are inserted, and of the existing ones only those that differ are
 * overwritten. An overwritten row loses its place in every index, and writers that overwrite the
 * same rows at once can get an error from the engine that no retry helps.
 */
export async function writeWindows(store: Store, rows: Columns): Promise<void> {
  const table = store.table("windows");
  const { present } = await table.insert(rows.batch());
  if (present === 0) return;
  await table.replace((await differingRows(store, rows)).batch());
}

/** The rows that are not stored in this form. */
export async function differingRows(store: Store, rows: Columns): Promise<Columns> {
  const differing = new Columns();
  for (let from = 0; from < rows.length; from += rowsPerQuery) {
    const count = Math.min(rowsPerQuery, rows.length - from);
    const some = Array.from({ length: count }, (_, at) => rows.row(from + at));
    const stored = await storedAmong(store, some);
    for (const row of some) {
      const existing = stored.get(keyOf(row));
      const isEqual = existing?.text === row["text"] && existing?.ids === row["message_ids"];
      const isOwn =
        existing?.sourceAgent === row["source_agent"] && existing?.project === row["project"];
      if (!isEqual || !isOwn) differing.push(row);
    }
  }
  return differing;
}

/** Empties what an interrupted run left of windows that begin elsewhere now. */
export async function emptyLeftoverWindows(
  store: Store,
  labels: Labels,
  windowIds: readonly string[],
): Promise<void> {
  const stored = await storedWindows(store, labels.sessionId);
  for (const id of windowIds) stored.delete(id);
  await empty(store, labels, stored);
}

/** Empties the windows that another session with that id has left. */
export async function emptyForeignWindows(store: Store, labels: Labels): Promise<void> {
  const stored = await storedWindows(store, labels.sessionId);
  for (const [id, window] of stored) if (isOwnedBy(labels, window)) stored.delete(id);
  await empty(store, labels, stored);
}

async function empty(
  store: Store,
  labels: Labels,
  stored: ReadonlyMap<string, StoredWindow>,
): Promise<void> {
  const rows = windowRows(labels, emptyWindows(stored, labels));
  await store.table("windows").replace(rows.batch());
}

/** The rows of windows of one session. */
export function windowRows(labels: Labels, windows: readonly Window[]): Columns {
  const rows = new Columns();
  for (const window of windows) rows.push(windowRow(labels, window));
  return rows;
}

const windowColumns = ["id", "text", "message_ids", "timestamp", "source_agent", "project"];

async function storedWindows(store: Store, sessionId: string): Promise<Map<string, StoredWindow>> {
  const where = eq("session_id", sessionId);
  const rows = await store.table("windows").rows({ columns: windowColumns, where });
  return new Map(rows.map((row) => [String(row["id"]), storedWindow(row)]));
}

/** What is stored of these rows, by their keys. */
async function storedAmong(store: Store, rows: readonly Row[]): Promise<Map<string, StoredWindow>> {
  const oneOfAll = (column: string): Filter =>
    oneOf(column, [...new Set(rows.map((row) => String(row[column])))]);
  const where = and(oneOfAll("session_id"), oneOfAll("id"));
  const columns = ["session_id", ...windowColumns];
  const stored = await store.table("windows").rows({ columns, where });
  return new Map(stored.map((row) => [keyOf(row), storedWindow(row)]));
}

function storedWindow(row: Row): StoredWindow {
  const { text, message_ids: ids, timestamp, source_agent: sourceAgent, project } = row;
  return { text, ids, timestamp: BigInt(timestamp as bigint), sourceAgent, project };
}

function keyOf({ session_id: sessionId, id }: Row): string {
  return stringifyJson([String(sessionId), String(id)]);
}

function emptyWindows(stored: ReadonlyMap<string, StoredWindow>, labels: Labels): Window[] {
  return [...stored].flatMap(([id, window]) => {
    const { ids, text, timestamp } = window;
    // Empty already, or the window of a title that it had; one of another session is not its name.
    const isLeft = ids === noIds && (text === null || isOwnedBy(labels, window));
    return isLeft ? [] : [{ id, timestamp, text: null, messageIds: [] }];
  });
}

function isOwnedBy({ sourceAgent, project }: Labels, window: StoredWindow): boolean {
  return window.sourceAgent === sourceAgent && window.project === project;
}
