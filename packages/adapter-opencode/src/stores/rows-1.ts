import type { FaultEvent, JsonObject } from "@pond/canonical";
import { isJsonObject, tryParseObject } from "@pond/canonical";
import { openRecord, type RecordCount, type SourceRecord } from "@pond/canonical/adapter";
import { recordFault } from "../faults.ts";
import { origin } from "../origin.ts";
import { numberIn, type Row, rowKey, textIn } from "./cells.ts";
import { recordOfRow, sessionColumns } from "./columns.ts";
import { completeBody } from "./completed.ts";
import { cutMessage } from "./cut-message.ts";
import { type Database, isCorruption } from "./database.ts";
import type { Stored, StoredMessage, StoredSession, StoredSide } from "./stored.ts";

/** A session of the tables `session`, `message` and `part`; undefined if it is not there. */
export function readSession1(
  database: Database,
  id: string,
  path: string,
): StoredSession | undefined {
  const [found] = database.rows(
    `SELECT *, ${database.rowIdSql("session")} FROM session WHERE id = ?`,
    id,
  );
  if (found === undefined) return undefined;
  const { pond_row: _, ...row } = found;
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
    newestMs: newestOf(database, ["message", "part"], id, row),
    messages: (count) => untilCorruption(database, id, messagesOf(database, id, count)),
    sides: (count) => todosOf(database, id, count),
    faults: invalidTextFaults(database, "session", id, found),
  };
}

/**
 * A fault, which costs nothing, for texts of a row that are kept in another form than they are
 * stored.
 */
export function invalidTextFaults(
  database: Database,
  table: string,
  id: string,
  row: Row,
): readonly FaultEvent[] {
  const broken = database.invalidTextColumns(table, row);
  if (broken.length === 0) return [];
  const fault = recordFault(database.file, `${table} ${id}`, invalidTextReason(broken));
  return [{ ...fault, records: 0, isLogWhole: true }];
}

function invalidTextReason(columns: readonly string[]): string {
  return `bytes that are no text in ${columns.join(", ")}`;
}

/** The row of the project that a session belongs to; its directory replaces a missing one. */
export function worktreeOf(database: Database, session: Row): SourceRecord | undefined {
  const project = session["project_id"];
  if (typeof project !== "string" || !database.has("project")) return undefined;
  const [row] = database.rows("SELECT worktree FROM project WHERE id = ?", project);
  return row && openRecord({ adapter: origin, uri: database.file, record: "project" }, row);
}

/** When a session or a row of these tables was last changed; unknown for damaged ones. */
export function newestOf(
  database: Database,
  tables: readonly string[],
  id: string,
  session: Row,
): number {
  const times = tables.map((table) => {
    const sql = `SELECT max(time_updated) AS newest FROM ${table} WHERE session_id = ?`;
    try {
      const [row] = database.rows(sql, id);
      return numberIn(row?.["newest"]);
    } catch (error) {
      if (!isCorruption(error)) throw error;
      return 0;
    }
  });
  return Math.max(numberIn(session["time_updated"]), ...times);
}

/** True if a part of another session was made in this millisecond; damaged tables do not tell. */
export function hasOtherPartAt(database: Database, id: string, ms: number): boolean {
  const sql = "SELECT 1 FROM part WHERE time_created = ? AND session_id <> ? LIMIT 1";
  try {
    const [found] = database.rows(sql, ms, id);
    return found !== undefined;
  } catch (error) {
    if (!isCorruption(error)) throw error;
    return false;
  }
}

/**
 * The part of a session before a damaged place, and a fault, which costs nothing, for that place.
 */
export function* untilCorruption<T>(
  { file }: Database,
  session: string,
  events: Iterable<T>,
): Generator<T | FaultEvent> {
  try {
    yield* events;
  } catch (error) {
    if (!isCorruption(error)) throw error;
    const reason = `not all of it can be read (${error.message})`;
    yield { ...recordFault(file, `session ${session}`, reason, error), records: 0 };
  }
}

function* messagesOf(
  database: Database,
  session: string,
  count: RecordCount | undefined,
): Generator<StoredMessage | FaultEvent> {
  const rows = database.rows(
    `SELECT ${dataColumnsSql(database, "message")} FROM message WHERE session_id = ? ORDER BY time_created, id`,
    session,
  );
  for (const row of rows) {
    const id = textIn(row["id"]);
    const message = storedRow(database, "message", row, session, { id, sessionID: session });
    let partRows: readonly Row[];
    try {
      partRows = partsInOrder(database, row);
    } catch (error) {
      if (!isCorruption(error)) throw error;
      count?.add(1);
      const reason = `its parts cannot be read (${error.message})`;
      yield recordFault(database.file, `message ${id}`, reason, error);
      continue;
    }
    count?.add(1 + partRows.length);
    if ("kind" in message && !hasTextId(database, row)) {
      // Its parts refer to it by bytes that are not text, either.
      yield { ...message, records: 1 + partRows.length };
      continue;
    }
    if ("kind" in message) yield message;
    else yield* invalidTextFaults(database, "message", id, row);
    const parts: Stored[] = [];
    for (const part of partRows) {
      const ids = { id: textIn(part["id"]), sessionID: session, messageID: id };
      const stored = storedRow(database, "part", part, session, ids);
      if ("kind" in stored) yield stored;
      else {
        yield* invalidTextFaults(database, "part", ids.id, part);
        parts.push(stored);
      }
    }
    if (!("kind" in message)) {
      yield { kind: "message", schema: 1, ...message, parts, records: 1 + parts.length };
    } else if (parts.length > 0) {
      const place = { uri: database.file, record: `message ${id}` };
      const { time_created = null, time_updated = null } = row;
      const times = { time_created, time_updated };
      yield cutMessage(place, { id, sessionID: session }, parts, times);
    }
  }
  const orphans = database.rows(
    `SELECT id FROM part WHERE session_id = ?
     AND NOT EXISTS (SELECT 1 FROM message WHERE message.id = part.message_id) ORDER BY id`,
    session,
  );
  for (const { id } of orphans) {
    count?.add(1);
    yield recordFault(database.file, `part ${textIn(id)}`, "a part of a message that is gone");
  }
}

function hasTextId(database: Database, row: Row): boolean {
  return row["id"] !== undefined && !database.invalidTextColumns("message", row).includes("id");
}

/**
 * Parts by id, as the client orders them. Ids on both sides of the instant in August 2026 at which
 * their clock starts anew are ordered by time.
 */
function partsInOrder(database: Database, message: Row): readonly Row[] {
  const found = rowKey(message);
  if (found === undefined) return [];
  const [key, value] = found;
  // An id that is not text is only found by the row that has it.
  const rows = [
    ...database.rows(
      `SELECT ${dataColumnsSql(database, "part")} FROM part
       WHERE message_id = (SELECT id FROM message WHERE ${key} = ?) ORDER BY id`,
      value,
    ),
  ];
  const [first, last] = [rows.at(0), rows.at(-1)].map((row) => textIn(row?.["id"]));
  const isWrapped = first?.startsWith("prt_0") && last?.startsWith("prt_f");
  return isWrapped
    ? rows.toSorted(
        (left, right) => numberIn(left["time_created"]) - numberIn(right["time_created"]),
      )
    : rows;
}

/** The columns of a row with JSON `data`, its size and its place. */
export function dataColumnsSql(database: Database, table: string): string {
  // A text of half a gigabyte cannot become a string.
  return `*, CASE WHEN octet_length(data) <= 268435456 THEN data END AS data,
    octet_length(data) AS pond_bytes, ${database.rowIdSql(table)}`;
}

/** A row with JSON `data`, with the ids of its columns inside. */
export function storedRow(
  database: Database,
  table: string,
  row: Row,
  session: string,
  ids: Ids,
): Stored | FaultEvent {
  const { data, pond_bytes: bytes, pond_row: _, ...columns } = row;
  const place = { uri: database.file, record: `${table} ${ids["id"]}` };
  if (row["id"] === undefined) return recordFault(place.uri, table, "a row without an id");
  const broken = database.invalidTextColumns(table, row).filter((column) => isEssential(column));
  if (broken.length > 0) return recordFault(place.uri, place.record, invalidTextReason(broken));
  if (data === undefined && numberIn(bytes) > 0) {
    return recordFault(place.uri, place.record, `${bytes} bytes, too many to be kept`);
  }
  const body = typeof data === "string" ? tryParseObject(data) : undefined;
  if (body === undefined) return recordFault(place.uri, place.record, "data is no JSON object");
  const beside = columnsBeyondBody(columns, body, session, ids);
  return completeBody(place, body, ids, beside, { isBare: true, encodedBytes: numberIn(bytes) });
}

/**
 * True for a column without which a row is not what the client stored; `invalidTextFaults` names
 * others.
 */
function isEssential(column: string): boolean {
  return ["id", "session_id", "message_id", "type", "data"].includes(column);
}

/** What the columns say and the body does not. */
function columnsBeyondBody(columns: Row, body: JsonObject, session: string, ids: Ids): JsonObject {
  const {
    id: _,
    session_id: own,
    message_id: __,
    time_created: created,
    type,
    ...others
  } = columns;
  const { time } = body;
  const isInBody = isJsonObject(time) && time["created"] === created;
  return {
    ...others,
    ...(type !== undefined && ids["type"] !== type && { type }),
    ...(own !== undefined && own !== session && { session_id: own }),
    ...(!isInBody && created !== undefined && { time_created: created }),
  };
}

type Ids = Readonly<Record<string, string>>;

/** The to-dos of a session. */
export function* todosOf(
  database: Database,
  session: string,
  count: RecordCount | undefined,
): Generator<StoredSide | FaultEvent> {
  if (!database.has("todo")) return;
  const rows = [
    ...database.rows(
      `SELECT *, ${database.rowIdSql("todo")} FROM todo WHERE session_id = ? ORDER BY position`,
      session,
    ),
  ];
  const todos = rows.map(({ session_id: _, pond_row: __, ...todo }) => todo);
  if (todos.length === 0) return;
  count?.add(1);
  for (const row of rows) yield* invalidTextFaults(database, "todo", session, row);
  const at = { adapter: origin, uri: database.file, record: `todo ${session}` };
  yield { kind: "side", name: "todo", record: openRecord(at, { value: todos }) };
}
