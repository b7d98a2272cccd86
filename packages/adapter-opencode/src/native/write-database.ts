import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import {
  isJsonObject,
  isRawNumber,
  type JsonObject,
  type JsonValue,
  type SessionId,
  stringifyJson,
} from "@pond/canonical";
import { objectAt, type RestoredFile } from "@pond/canonical/adapter";
import { fileName } from "../file-name.ts";
import type { Restored, RestoredMessage } from "../records/message.ts";
import { rowOfRecord, session2Columns, sessionColumns } from "../stores/columns.ts";
import { bodyOf } from "../stores/completed.ts";
import { sqlite } from "../stores/sqlite.ts";
import type { RestoredSession } from "./restored-session.ts";
import { tables } from "./tables.ts";

/** A session as a database of its own, with the tables of the version it came from. */
export function writeDatabase(session: RestoredSession, id: SessionId): RestoredFile {
  const content = { [Symbol.iterator]: () => [build(session)].values() };
  return { session: id, path: `pond/${fileName(id)}.db`, content };
}

/** SQLite writes only to files; this one is deleted as soon as it was read. */
function build(session: RestoredSession): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), "pond-opencode-"));
  try {
    const file = join(folder, "opencode.db");
    const { DatabaseSync } = sqlite();
    const database = new DatabaseSync(file);
    database.exec("PRAGMA foreign_keys = OFF");
    database.exec("BEGIN");
    fill(database, session);
    database.exec("COMMIT");
    database.close();
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function fill(database: DatabaseSync, session: RestoredSession): void {
  const { continued, schema, store } = session;
  // What another kind of store had beside its records does not become columns.
  const own = (row: JsonObject): JsonObject => (store === "database" ? row : {});
  // A tree has no messages of 2.x, so those of a session from a tree come from a database.
  const ownOf2 = (row: JsonObject): JsonObject => (store === "tree" ? row : own(row));
  const first: Restored = { record: session.record, row: own(session.row) };
  const second = schema === 2 ? first : continued;
  const isSame = continued?.isSame === true;
  const table2 = isSame ? "session" : "session_v2";
  for (const sql of tables(schema === 1, second && table2)) database.exec(sql);
  if (schema === 1) insertSession(database, "session", first);
  if (second && !isSame) insertSession(database, "session_v2", second);
  for (const [index, message] of [...session.messages].entries()) {
    if (message.schema === 2) insertMessage2(database, session.id, message, index, ownOf2);
    else insertMessage1(database, session.id, message, own);
  }
  const { value } = session.sides.get("todo") ?? {};
  const todos: readonly JsonValue[] = Array.isArray(value) && schema === 1 ? value : [];
  for (const [position, todo] of todos.entries()) {
    if (isJsonObject(todo)) {
      insert(database, "todo", { ...times(0), position, session_id: session.id, ...todo });
    }
  }
}

function insertSession(database: DatabaseSync, table: string, { record, row }: Restored): void {
  const columns = table === "session" ? sessionColumns : session2Columns;
  const created = Number(objectAt(record, "time")["created"] ?? 0);
  insert(database, table, {
    project_id: "global",
    directory: "",
    ...(table === "session" && { title: "" }),
    slug: "",
    version: "",
    ...times(created),
    ...rowOfRecord(record, columns, row),
  });
}

function insertMessage1(
  database: DatabaseSync,
  session: string,
  { message, record, row, parts, isCut }: RestoredMessage,
  own: (row: JsonObject) => JsonObject,
): void {
  const created = Number(message.timestamp / 1000n);
  const place = { session_id: session, ...times(created) };
  const messageId = isCut ? String(record["id"]) : message.id;
  const columns = { id: messageId, ...place };
  // A message that was cut off stays so, because its parts are found by it.
  if (isCut) insert(database, "message", { ...columns, ...own(row), data: "" });
  else insertBody(database, "message", columns, record, own(row), ["id", "sessionID"]);
  for (const [index, part] of parts.entries()) {
    const { id = `prt_${messageId}_${index}` } = part.record;
    const columns = { id, message_id: messageId, ...place };
    const ids = ["id", "sessionID", "messageID"];
    insertBody(database, "part", columns, part.record, own(part.row), ids);
  }
}

function insertMessage2(
  database: DatabaseSync,
  session: string,
  { message, record, row }: RestoredMessage,
  index: number,
  own: (row: JsonObject) => JsonObject,
): void {
  const created = Number(message.timestamp / 1000n);
  const place = { session_id: session, ...times(created), seq: index };
  const columns = { id: message.id, type: record["type"] ?? "", ...place };
  insertBody(database, "session_message", columns, record, own(row), ["id", "type"]);
}

function insertBody(
  database: DatabaseSync,
  table: string,
  columns: JsonObject,
  record: JsonObject,
  row: JsonObject,
  ids: readonly string[],
): void {
  const { own: _, lacks: __, ...beside } = row;
  const data = stringifyJson(bodyOf(record, row, ids, { isBare: true }));
  insert(database, table, { ...columns, ...beside, data });
}

function insert(database: DatabaseSync, table: string, row: JsonObject): void {
  const known = database.prepare(`SELECT name FROM pragma_table_info('${table}')`).all();
  const names = new Set(known.map(({ name }) => String(name)));
  for (const column of Object.keys(row)) {
    // A column of a version that is not known here.
    if (!names.has(column)) database.exec(`ALTER TABLE ${table} ADD COLUMN ${quoted(column)}`);
  }
  const columns = Object.keys(row);
  const sql = `INSERT INTO ${table} (${columns.map(quoted)}) VALUES (${columns.map(() => "?")})`;
  database.prepare(sql).run(...Object.values(row).map(toSql));
}

function quoted(column: string): string {
  return `"${column.replaceAll('"', '""')}"`;
}

function toSql(value: JsonValue): SQLInputValue {
  if (isRawNumber(value)) {
    return /^-?\d+$/.test(value.rawJSON) ? BigInt(value.rawJSON) : Number(value.rawJSON);
  }
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  return typeof value === "string" || value === null ? value : stringifyJson(value);
}

function times(created: number): JsonObject {
  return { time_created: created, time_updated: created };
}
