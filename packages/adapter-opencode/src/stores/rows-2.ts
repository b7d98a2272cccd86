import type { FaultEvent } from "@pond/canonical";
import { openRecord, type RecordCount } from "@pond/canonical/adapter";
import { origin } from "../origin.ts";
import { numberIn, textIn } from "./cells.ts";
import { recordOfRow, session2Columns } from "./columns.ts";
import type { Database } from "./database.ts";
import { keptFaults, sized, storedRow, worktreeOf } from "./rows-1.ts";
import type { StoredMessage, StoredSession } from "./stored.ts";

/** A session of the tables of 2.x; `table` is `session` in its betas. */
export function readSession2(
  database: Database,
  table: string,
  id: string,
  path: string,
): StoredSession | undefined {
  const [found] = database.rows(
    `SELECT *, ${database.place(table)} FROM ${table} WHERE id = ?`,
    id,
  );
  if (found === undefined) return undefined;
  const { pond_row: _, ...row } = found;
  const at = { adapter: origin, uri: database.file, record: `${table} ${id}` };
  const { record, left } = recordOfRow(row, session2Columns);
  const [newest] = database.rows(
    "SELECT max(time_updated) AS newest FROM session_message WHERE session_id = ?",
    id,
  );
  return {
    store: "database",
    schema: 2,
    record: openRecord(at, record),
    row: Object.keys(left).length > 0 ? openRecord(at, left) : undefined,
    path,
    worktree: () => worktreeOf(database, row),
    isLive: true,
    newestMs: Math.max(numberIn(row["time_updated"]), numberIn(newest?.["newest"])),
    messages: (count) => messagesOf(database, id, count),
    sides: () => [],
    faults: keptFaults(database, table, id, found),
  };
}

function* messagesOf(
  database: Database,
  session: string,
  count: RecordCount | undefined,
): Generator<StoredMessage | FaultEvent> {
  const rows = database.rows(
    `SELECT ${sized(database, "session_message")} FROM session_message WHERE session_id = ? ORDER BY seq`,
    session,
  );
  for (const row of rows) {
    count?.add(1);
    const { id: own, type } = row;
    const ids = { id: textIn(own), ...(type !== undefined && { type: textIn(type) }) };
    const stored = storedRow(database, "session_message", row, session, ids);
    if ("kind" in stored) {
      yield stored;
      continue;
    }
    yield* keptFaults(database, "session_message", ids.id, row);
    yield { kind: "message", schema: 2, ...stored, parts: [], records: 1 };
  }
}
