import type { FaultEvent } from "@pond/canonical";
import { openRecord, type RecordCount } from "@pond/canonical/adapter";
import { origin } from "../origin.ts";
import { numberIn, textIn } from "./cells.ts";
import { recordOfRow, session2Columns } from "./columns.ts";
import { type Database, isSqliteError } from "./database.ts";
import {
  dataColumnsSql,
  invalidTextFaults,
  newestOf,
  storedRow,
  todosOf,
  untilCorruption,
  worktreeOf,
} from "./rows-1.ts";
import type { StoredMessage, StoredSession } from "./stored.ts";
import { isShared } from "./summaries.ts";

/**
 * A session of the tables of 2.x; `table` is `session` in its betas and in late releases of 1.x.
 */
export function readSession2(
  database: Database,
  table: string,
  id: string,
  path: string,
): StoredSession | undefined {
  const [found] = database.rows(
    `SELECT *, ${database.rowIdSql(table)} FROM ${table} WHERE id = ?`,
    id,
  );
  if (found === undefined) return undefined;
  const { pond_row: _, ...row } = found;
  const at = { adapter: origin, uri: database.file, record: `${table} ${id}` };
  const { record, left } = recordOfRow(row, session2Columns);
  return {
    store: "database",
    schema: 2,
    record: openRecord(at, record),
    row: Object.keys(left).length > 0 ? openRecord(at, left) : undefined,
    path,
    worktree: () => worktreeOf(database, row),
    isLive: true,
    newestMs: newestOf(database, ["session_message"], id, row),
    messages: (count) => untilCorruption(database, id, messagesOf(database, id, count)),
    sides: (count) => (isShared(database) ? todosOf(database, id, count) : []),
    faults: invalidTextFaults(database, table, id, found),
  };
}

/**
 * When the client began to copy sessions of 1.x to these tables, in milliseconds, if it says so. If
 * that cannot be read, no session is lost.
 */
export function copyStartMs(database: Database): number | undefined {
  if (!database.columns("kv").has("time_created")) return undefined;
  try {
    const [row] = database.rows("SELECT time_created FROM kv WHERE key = 'migration.v1-v2'");
    return row && numberIn(row["time_created"]);
  } catch (error) {
    if (!isSqliteError(error)) throw error;
    return undefined;
  }
}

function* messagesOf(
  database: Database,
  session: string,
  count: RecordCount | undefined,
): Generator<StoredMessage | FaultEvent> {
  // A row with the id of a message is a preview of it, as early releases wrote them.
  const isOwn = isShared(database)
    ? "AND NOT EXISTS (SELECT 1 FROM message WHERE message.id = session_message.id)"
    : "";
  const rows = database.rows(
    `SELECT ${dataColumnsSql(database, "session_message")} FROM session_message
     WHERE session_id = ? ${isOwn} ORDER BY seq`,
    session,
  );
  for (const row of rows) {
    count?.add(1);
    const { id, type } = row;
    const ids = { id: textIn(id), ...(type !== undefined && { type: textIn(type) }) };
    const stored = storedRow(database, "session_message", row, session, ids);
    if ("kind" in stored) {
      yield stored;
      continue;
    }
    yield* invalidTextFaults(database, "session_message", ids.id, row);
    yield { kind: "message", schema: 2, ...stored, parts: [], records: 1 };
  }
}
