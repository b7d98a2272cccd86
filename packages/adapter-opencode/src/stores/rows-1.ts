import type { FaultEvent, JsonObject } from "@pond/canonical";
import { isJsonObject, parseJson } from "@pond/canonical";
import { openRecord, type SourceRecord } from "@pond/canonical/adapter";
import { recordFault } from "../faults.ts";
import { origin } from "../origin.ts";
import { recordOfRow, sessionColumns } from "./columns.ts";
import { completed } from "./completed.ts";
import type { Database, Row } from "./database.ts";
import type { Stored, StoredMessage, StoredSession, StoredSide } from "./stored.ts";

/** A session of the tables `session`, `message` and `part`; undefined where it is not there. */
export function readSession1(
  database: Database,
  id: string,
  path: string,
): StoredSession | undefined {
  const [row] = database.rows("SELECT * FROM session WHERE id = ?", id);
  if (row === undefined) return undefined;
  const at = { adapter: origin, uri: database.file, record: `session ${id}` };
  const { record, left } = recordOfRow(row, sessionColumns);
  return {
    store: "database",
    schema: 1,
    record: openRecord(at, record),
    row: Object.keys(left).length > 0 ? openRecord(at, left) : undefined,
    path,
    worktree: () => worktreeOf(database, row),
    isLive: true,
    newestMs: newestOf(database, id, Number(row["time_updated"])),
    messages: () => messagesOf(database, id),
    sides: () => todosOf(database, id),
  };
}

/** The row of the project a session belongs to: its directory stands in for a missing one. */
export function worktreeOf(database: Database, session: Row): SourceRecord | undefined {
  const project = session["project_id"];
  if (typeof project !== "string" || !database.has("project")) return undefined;
  const [row] = database.rows("SELECT worktree FROM project WHERE id = ?", project);
  return row && openRecord({ adapter: origin, uri: database.file, record: "project" }, row);
}

function newestOf(database: Database, id: string, updated: number): number {
  const times = ["message", "part"].map((table) => {
    const [row] = database.rows(
      `SELECT max(time_updated) AS newest FROM ${table} WHERE session_id = ?`,
      id,
    );
    return Number(row?.["newest"] ?? 0);
  });
  return Math.max(Number.isFinite(updated) ? updated : 0, ...times);
}

function* messagesOf(database: Database, session: string): Generator<StoredMessage | FaultEvent> {
  const rows = database.rows(
    `SELECT *, ${sized} FROM message WHERE session_id = ? ORDER BY time_created, id`,
    session,
  );
  for (const row of rows) {
    const id = String(row["id"]);
    const message = storedRow(database, "message", row, session, { id, sessionID: session });
    if ("kind" in message) {
      yield message;
      continue;
    }
    const parts: Stored[] = [];
    for (const part of inOrder(database, id)) {
      const ids = { id: String(part["id"]), sessionID: session, messageID: id };
      const stored = storedRow(database, "part", part, session, ids);
      if ("kind" in stored) yield stored;
      else parts.push(stored);
    }
    yield { kind: "message", schema: 1, ...message, parts };
  }
}

/**
 * Parts by id, as the client orders them. Ids that straddle the instant in August 2026 at which
 * their clock starts anew are ordered by time.
 */
function inOrder(database: Database, message: string): readonly Row[] {
  const rows = [
    ...database.rows(`SELECT *, ${sized} FROM part WHERE message_id = ? ORDER BY id`, message),
  ];
  const [first, last] = [rows.at(0), rows.at(-1)].map((row) => String(row?.["id"]));
  const isWrapped = first?.startsWith("prt_0") && last?.startsWith("prt_f");
  return isWrapped
    ? rows.toSorted((left, right) => Number(left["time_created"]) - Number(right["time_created"]))
    : rows;
}

// A text of half a gigabyte cannot become a string.
export const sized =
  "CASE WHEN octet_length(data) <= 268435456 THEN data END AS data, octet_length(data) AS pond_bytes";

/** A row of JSON `data` with the ids of its columns inside. */
export function storedRow(
  database: Database,
  table: string,
  row: Row,
  session: string,
  ids: Ids,
): Stored | FaultEvent {
  const { data, pond_bytes: bytes, ...columns } = row;
  const place = { uri: database.file, record: `${table} ${ids["id"]}` };
  if (data === undefined && Number(bytes) > 0) {
    return recordFault(place.uri, place.record, `${bytes} bytes, too many to be kept`);
  }
  const body = parsed(data);
  if (!isJsonObject(body)) return recordFault(place.uri, place.record, "data is no JSON object");
  const beside = besides(columns, body, session);
  return completed(place, body, ids, beside, { isBare: true, encodedBytes: Number(bytes) });
}

/** What the columns say that the body does not. */
function besides(columns: Row, body: JsonObject, session: string): JsonObject {
  const { id: _, session_id: own, message_id: __, time_created: created, ...others } = columns;
  const { time } = body;
  const isSaid = isJsonObject(time) && time["created"] === created;
  return {
    ...others,
    ...(own !== undefined && own !== session && { session_id: own }),
    ...(!isSaid && created !== undefined && { time_created: created }),
  };
}

type Ids = Readonly<Record<string, string>>;

function parsed(data: unknown): unknown {
  try {
    return typeof data === "string" ? parseJson(data) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function* todosOf(database: Database, session: string): Generator<StoredSide> {
  if (!database.has("todo")) return;
  const rows = database.rows("SELECT * FROM todo WHERE session_id = ? ORDER BY position", session);
  const todos = Array.from(rows, ({ session_id: _, ...todo }) => todo);
  if (todos.length === 0) return;
  const at = { adapter: origin, uri: database.file, record: `todo ${session}` };
  yield { kind: "side", name: "todo", record: openRecord(at, { value: todos }) };
}
