import { partsOf } from "@pond/canonical";
import { loadMessages } from "../read/content.ts";
import { loadOutline } from "../read/outline.ts";
import { Columns } from "../rows/columns.ts";
import { prepareMessage } from "../rows/prepare.ts";
import { windowRow } from "../rows/to-rows.ts";
import type { SessionStore } from "../session-store.ts";
import { changedWindows, writeWindows } from "./window-rows.ts";
import { addPiece, WindowBuilder, windowPiece } from "./windows.ts";

/**
 * Makes the windows of a stored session anew from its messages, for one whose rows did not all come
 * by an ingest, such as from two stores. Windows that are right already are left alone.
 *
 * @throws {SessionNotFoundError}
 */
export async function rebuildWindows({ store }: SessionStore, sessionId: string): Promise<void> {
  const { session, places } = await loadOutline(store, sessionId, "last");
  const labels = { sessionId, sourceAgent: session.source_agent, project: session.project };
  const windows = new WindowBuilder();
  for (const { message } of await loadMessages(store, sessionId, places)) {
    addPiece(windows, windowPiece(prepareMessage(message, partsOf(message))));
  }
  windows.close();
  const rows = new Columns();
  for (const window of await changedWindows(store, labels, windows.take())) {
    rows.push(windowRow(labels, window));
  }
  await writeWindows(store, rows);
}
