import { constants, copyFileSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { isRawNumber, type JsonValue, parseJson } from "@pond/canonical";
import { fileMark } from "@pond/canonical/adapter";
import { sqlite } from "./sqlite.ts";

/** The columns of one row that hold something, numbers exact. */
export type Row = Readonly<Record<string, JsonValue>>;

/** A cell as a number; 0 where it is none. */
export function numberIn(cell: JsonValue | undefined): number {
  const number = isRawNumber(cell)
    ? Number(cell.rawJSON)
    : typeof cell === "object"
      ? 0
      : Number(cell);
  return Number.isFinite(number) ? number : 0;
}

/** A cell as text, such as an id that a client wrote as a number. */
export function textIn(cell: JsonValue | undefined): string {
  return isRawNumber(cell) ? cell.rawJSON : String(cell);
}

/** A database changed while it was read in a way that makes what was read worthless. */
export class DatabaseChanged extends Error {
  override readonly name = "DatabaseChanged";
}

/**
 * A client's database, opened so that nothing in its folder is made or changed, beside a running
 * client too. Opened anew for each use: one that stays open keeps the client from tidying up.
 */
export class Database {
  readonly file: string;
  readonly #connection: DatabaseSync;
  readonly #columns: Map<string, ReadonlySet<string>> = new Map();
  /** Set where SQLite was told that the file does not change. */
  readonly #frozen: string | undefined;

  /** @throws what SQLite or the file system gives where the file cannot be read. */
  constructor(file: string) {
    this.file = file;
    const { connection, frozen } = open(file);
    this.#connection = connection;
    this.#frozen = frozen;
    // No statement may be cut off by a lock that is held for a moment.
    connection.exec("PRAGMA busy_timeout = 5000");
  }

  /** The columns of a table; none where there is no such table. */
  columns(table: string): ReadonlySet<string> {
    const known = this.#columns.get(table);
    if (known) return known;
    const rows = this.rows("SELECT name FROM pragma_table_info(?)", table);
    const columns = new Set(Array.from(rows, ({ name }) => textIn(name)));
    this.#columns.set(table, columns);
    return columns;
  }

  has(...tables: readonly string[]): boolean {
    return tables.every((table) => this.columns(table).size > 0);
  }

  *rows(sql: string, ...parameters: readonly SQLInputValue[]): Generator<Row> {
    const statement = this.#connection.prepare(sql);
    statement.setReadBigInts(true);
    for (const row of statement.iterate(...parameters)) {
      this.#expectFrozen();
      yield toRow(row);
    }
  }

  /** From the next query on until it is closed, what a running client writes is not seen. */
  freeze(): void {
    this.#connection.exec("BEGIN");
  }

  close(): void {
    this.#connection.close();
  }

  #expectFrozen(): void {
    if (this.#frozen !== undefined && this.#frozen !== markOf(this.file)) {
      throw new DatabaseChanged(`${this.file} changed while it was read`);
    }
  }
}

type Opened = { readonly connection: DatabaseSync; readonly frozen?: string };

function open(file: string): Opened {
  const [log, index, journal] = ["-wal", "-shm", "-journal"].map((suffix) => `${file}${suffix}`);
  const frozen = markOf(file);
  // Opening a file that is not there fails here, and not by making one.
  if (frozen === undefined) statSync(file);
  if (sizeOf(`${journal}`) > 0) return { connection: openCopy(file, ["-journal"]) };
  const hasLog = sizeOf(`${log}`) >= 0;
  if (hasLog && sizeOf(`${index}`) >= 0) {
    return { connection: openAt(file, "mode=ro&readonly_shm=1") };
  }
  // A log without its index: SQLite would make one.
  if (hasLog && sizeOf(`${log}`) > 0) return { connection: openCopy(file, ["-wal"]) };
  return { connection: openAt(file, "immutable=1"), ...(frozen && { frozen }) };
}

function openAt(file: string, query: string): DatabaseSync {
  const url = pathToFileURL(file);
  url.search = query;
  const { DatabaseSync } = sqlite();
  return new DatabaseSync(url, { readOnly: true });
}

/** Opens a copy in a folder that is gone as soon as SQLite has the files open. */
function openCopy(file: string, suffixes: readonly string[]): DatabaseSync {
  const folder = mkdtempSync(join(tmpdir(), "pond-opencode-"));
  try {
    const copy = join(folder, basename(file));
    for (let attempt = 1; ; attempt++) {
      const before = markOf(file);
      for (const suffix of ["", ...suffixes]) {
        copyFileSync(`${file}${suffix}`, `${copy}${suffix}`, constants.COPYFILE_FICLONE);
      }
      if (markOf(file) === before) break;
      if (attempt === maxCopies)
        throw new DatabaseChanged(`${file} changes faster than it is read`);
    }
    const { DatabaseSync } = sqlite();
    const connection = new DatabaseSync(copy);
    connection.prepare("SELECT count(*) FROM sqlite_master").get();
    return connection;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const maxCopies = 5;

/** Changes whenever the database or its log did; undefined where there is none. */
function markOf(file: string): string | undefined {
  const marks = [file, `${file}-wal`].map((path) => {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stats && fileMark(stats);
  });
  return marks[0] && marks.join("+");
}

/** -1 where there is no such file. */
function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? -1;
}

function toRow(row: Readonly<Record<string, unknown>>): Row {
  const values: Record<string, JsonValue> = {};
  for (const [column, value] of Object.entries(row)) {
    if (value !== null) values[column] = toJson(value);
  }
  return values;
}

function toJson(value: unknown): JsonValue {
  if (typeof value === "bigint") return parseJson(String(value));
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  return typeof value === "number" ? value : String(value);
}
