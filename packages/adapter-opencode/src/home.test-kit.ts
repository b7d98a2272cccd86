import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { onTestFinished } from "vitest";
import { tables } from "./native/tables.ts";
import { sqlite } from "./stores/sqlite.ts";

export const hour = 3_600_000;
/** When everything in these homes happened, in milliseconds. */
export const start = 1_767_600_000_000;

/** A client's data folder with these files, gone after the test. */
export function createHome(files: Readonly<Record<string, unknown>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "pond-opencode-test-"));
  // No hook of this module, which files that share a process load once: the first of them would run it.
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    const text = typeof content === "string" ? content : JSON.stringify(content);
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

export type Tables = Readonly<Record<string, readonly Fields[]>>;

/** A database as the client makes them, still open as a running client has it. */
export function openDatabase(file: string, rows: Tables, journal = "wal"): DatabaseSync {
  const database = openAgain(file);
  database.exec(`PRAGMA journal_mode = ${journal}; PRAGMA foreign_keys = OFF`);
  const has = (table: string): boolean => Object.hasOwn(rows, table);
  const others = has("session_message") ? "session" : undefined;
  for (const sql of tables(has("session"), has("session_v2") ? "session_v2" : others)) {
    database.exec(sql);
  }
  for (const [table, values] of Object.entries(rows)) {
    for (const row of values) insert(database, table, row);
  }
  return database;
}

/** A database that is there, as a client that starts opens it. */
export function openAgain(file: string): DatabaseSync {
  const { DatabaseSync } = sqlite();
  const database = new DatabaseSync(file);
  onTestFinished(() => {
    if (database.isOpen) database.close();
  });
  return database;
}

/** The same, of a client that has ended. */
export function writeDatabase(file: string, rows: Tables, journal = "wal"): void {
  openDatabase(file, rows, journal).close();
}

export function insert(database: DatabaseSync, table: string, row: Fields): void {
  const columns = Object.keys(row);
  const sql = `INSERT INTO ${table} (${columns}) VALUES (${columns.map(() => "?")})`;
  database.prepare(sql).run(...Object.values(row).map(toSql));
}

function toSql(value: unknown): SQLInputValue {
  if (value === null) return null;
  if (typeof value === "object") return JSON.stringify(value);
  return typeof value === "number" || typeof value === "bigint" ? value : String(value);
}

type Fields = Readonly<Record<string, unknown>>;

/** A row of `session`; later fields win. */
export function sessionRow(id: string, more: Fields = {}): Fields {
  return {
    id,
    project_id: "global",
    slug: "quiet-shuttle",
    directory: "/home/ada/loom",
    title: "Loom",
    version: "1.18.3",
    time_created: start,
    time_updated: start,
    ...more,
  };
}

export type MessageRow = {
  readonly id: string;
  readonly session_id: string;
  readonly time_created: number;
  readonly time_updated: number;
  readonly data: Fields;
};

/** A row of `message`; `at` is how long after the start, in milliseconds. */
export function messageRow(session: string, id: string, at: number, data: Fields): MessageRow {
  const times = { time_created: start + at, time_updated: start + at };
  return { id, session_id: session, ...times, data: { time: { created: start + at }, ...data } };
}

/** A row of `part` that belongs to a message row. */
export function partRow(message: MessageRow, id: string, data: Fields): Fields {
  const { session_id, time_created, time_updated } = message;
  return { id, message_id: message.id, session_id, time_created, time_updated, data };
}

/** A prompt and its answer, as rows. */
export function exchange(session: string, at = 0, name = "a"): Tables {
  const user = messageRow(session, `msg_${name}1`, at, { role: "user" });
  const ended = { time: { created: start + at + 1, completed: start + at + 2 } };
  const answer = messageRow(session, `msg_${name}2`, at + 1, { role: "assistant", ...ended });
  return {
    message: [user, answer],
    part: [
      partRow(user, `prt_${name}1`, { type: "text", text: "Why does the loom skip?" }),
      partRow(answer, `prt_${name}2`, { type: "text", text: "The heddle is bent." }),
    ],
  };
}

/** Tables with the rows of all of them. */
export function joined(...all: readonly Tables[]): Tables {
  const names = new Set(all.flatMap((tables) => Object.keys(tables)));
  return Object.fromEntries(
    [...names].map((name) => [name, all.flatMap((tables) => tables[name] ?? [])]),
  );
}
