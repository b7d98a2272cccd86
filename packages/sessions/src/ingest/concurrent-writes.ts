import { oneOf, type Row, type Store } from "@pond/substrate";
import type { Columns } from "../rows/columns.ts";
import { idChunks } from "../rows/id-chunks.ts";
import { differingRows } from "../search/window-rows.ts";
import type { IncomingSession } from "./incoming-session.ts";

// Windows come before messages. Another process that makes a session's windows anew in the meantime
// makes them without what is still to come, and messages that it has stored since the session was
// read are not in the windows made here. Whoever stores messages last sees what the other has done.

/** Tells whether other processes write during an ingest. */
export class ConcurrentWrites {
  readonly #store: Store;
  #commitsAtStart: Promise<number> | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Call it before anything stored is read. */
  async start(): Promise<void> {
    this.#commitsAtStart ??= this.#countCommits();
    await this.#commitsAtStart;
  }

  /** True if another process may have written messages or windows since. */
  async areDetected(): Promise<boolean> {
    return (await this.#countCommits()) !== (await this.#commitsAtStart);
  }

  async #countCommits(): Promise<number> {
    const tables = ["messages", "windows"].map((name) => this.#store.table(name));
    const counts = await Promise.all(tables.map((table) => table.commitsOfOthers()));
    return counts.reduce((sum, count) => sum + count, 0);
  }
}

/**
 * The sessions, out of these, whose windows are not what was written, or which have other messages
 * than was known.
 *
 * @param windows - What was written last.
 */
export async function withStaleWindows(
  store: Store,
  sessions: readonly IncomingSession[],
  windows: Columns,
): Promise<IncomingSession[]> {
  const written = Map.groupBy(rowsIn(windows), (row) => String(row["session_id"]));
  const differing = rowsIn(await differingRows(store, windows));
  const replaced = new Set(differing.map((row) => String(row["session_id"])));
  const ids = sessions.map(({ labels }) => labels.sessionId);
  const counts = await countMessages(store, ids);
  return sessions.filter(({ labels: { sessionId }, messageRows, windowIds }) => {
    // The windows that earlier batches wrote are no longer at hand.
    const isWhole = (windowIds?.length ?? 0) <= (written.get(sessionId)?.length ?? 0);
    return !isWhole || replaced.has(sessionId) || counts.get(sessionId) !== messageRows;
  });
}

function rowsIn(columns: Columns): Row[] {
  return Array.from({ length: columns.length }, (_, at) => columns.row(at));
}

/** How many rows of messages sessions have. */
async function countMessages(
  store: Store,
  sessionIds: readonly string[],
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const ids of idChunks(sessionIds)) {
    const where = oneOf("session_id", ids);
    for await (const rows of store.table("messages").scan({ columns: ["session_id"], where })) {
      for (const { session_id: id } of rows) {
        counts.set(String(id), (counts.get(String(id)) ?? 0) + 1);
      }
    }
  }
  return counts;
}
