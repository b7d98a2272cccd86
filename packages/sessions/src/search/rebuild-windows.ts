import type { Store } from "@pond/substrate";
import { loadMessages } from "../read/content.ts";
import { loadOutline, loadPlaces } from "../read/outline.ts";
import type { Columns } from "../rows/columns.ts";
import type { Labels } from "../rows/to-rows.ts";
import type { SessionStore } from "../session-store.ts";
import { changedWindows, windowRows, writeWindows } from "./window-rows.ts";
import { pieceOfStored, windowsOf } from "./windows.ts";

/**
 * Makes the windows of a stored session anew from its messages, for a session whose rows did not
 * all come by an ingest, such as from two stores. Windows that are right already are left alone.
 *
 * @throws {SessionNotFoundError}
 */
export async function rebuildWindows({ store }: SessionStore, sessionId: string): Promise<void> {
  const { session } = await loadOutline(store, sessionId, "last");
  const { source_agent: sourceAgent, project } = session;
  await remakeWindows(store, { sessionId, sourceAgent, project });
}

/** The same for a session whose own row may still come. */
export async function remakeWindows(store: Store, labels: Labels): Promise<void> {
  // Another process may store messages in the meantime, and make windows that these would replace.
  for (let made: number | undefined; ; ) {
    await store.refresh();
    const version = await store.table("messages").version();
    if (version === made) return;
    const rows = await differingWindows(store, labels);
    if (rows.length === 0) return;
    await writeWindows(store, rows);
    made = version;
  }
}

async function differingWindows(store: Store, labels: Labels): Promise<Columns> {
  const { sessionId } = labels;
  const places = await loadPlaces(store, sessionId);
  const messages = await loadMessages(store, sessionId, places);
  const windows = windowsOf(messages.map(({ message }) => pieceOfStored(message)));
  return windowRows(labels, await changedWindows(store, labels, windows));
}
