import { constants, copyFileSync, mkdtempSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { fileFingerprint } from "@pond/canonical/adapter";
import { lengthOf, type Row, replacement, rowKey, textIn, toRow } from "./cells.ts";
import { sqlite } from "./sqlite.ts";

/** A database changed while it was read, in a way that makes what was read worthless. */
export class DatabaseChanged extends Error {
  override readonly name = "DatabaseChanged";
}

/** True for an error of SQLite: a damaged file, a table that lacks a column. */
export function isSqliteError(error: unknown): error is Error & { readonly errcode: number } {
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number";
}

/** True for its error about a damaged place; the rest of the file can be read. */
export function isCorruption(error: unknown): error is Error {
  return isSqliteError(error) && corruptionCodes.includes(error.errcode & 0xff);
}

// SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_NOTADB; the bits above the first byte give more detail.
const corruptionCodes: readonly number[] = [10, 11, 26];

/**
 * A client's database, opened so that nothing in its folder is made or changed, even beside a
 * running client. Open a new one for each use, because one that stays open keeps the client from
 * tidying up.
 */
export class Database {
  readonly file: string;
  /** Its real place: SQLite keeps its log beside the file, not beside a link to it. */
  readonly #target: string;
  readonly #connection: DatabaseSync;
  readonly #columns: Map<string, ReadonlySet<string>> = new Map();
  readonly #rowIdSql: Map<string, string> = new Map();
  /** Set if SQLite was told that the file does not change. */
  readonly #frozen: string | undefined;
  /** Set if a copy is read: the state that was copied. */
  readonly #copied: string | undefined;

  /** @throws the error of SQLite or the file system if the file cannot be read. */
  constructor(file: string) {
    this.file = file;
    this.#target = realpathSync.native(file);
    const { connection, frozen, copied } = open(this.#target);
    this.#connection = connection;
    this.#frozen = frozen;
    this.#copied = copied;
    // A lock that is held for a moment must not cut a statement off.
    connection.exec("PRAGMA busy_timeout = 5000");
  }

  /** The columns of a table; none if there is no such table. */
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

  /** SQL for the place of a row in a table, `pond_row`; NULL if rows have none, as in a view. */
  rowIdSql(table: string): string {
    const known = this.#rowIdSql.get(table);
    if (known) return known;
    const [found] = this.rows(
      `SELECT 1 FROM pragma_table_list(?1) WHERE type = 'table' AND wr = 0
       AND NOT EXISTS (SELECT 1 FROM pragma_table_info(?1) WHERE name LIKE 'rowid')`,
      table,
    );
    const place = `${found ? "rowid" : "NULL"} AS pond_row`;
    this.#rowIdSql.set(table, place);
    return place;
  }

  /**
   * Rows as they are stored at one moment.
   *
   * @throws {DatabaseChanged} before a row, or the end of them, that may belong to another moment.
   */
  *rows(sql: string, ...parameters: readonly SQLInputValue[]): Generator<Row> {
    // Checking the file for each row would cost more than reading it.
    let read: Row[] = [];
    let length = 0;
    try {
      const statement = this.#connection.prepare(sql);
      statement.setReadBigInts(true);
      for (const cells of statement.iterate(...parameters)) {
        const row = toRow(cells);
        read.push(row);
        length += lengthOf(row);
        if (read.length < maxUnchecked.rows && length < maxUnchecked.length) continue;
        this.#expectUnchanged();
        yield* read;
        [read, length] = [[], 0];
      }
    } catch (error) {
      // After a change, a file is often no longer a valid database.
      this.#expectUnchanged();
      yield* read;
      throw error;
    }
    this.#expectUnchanged();
    yield* read;
  }

  /**
   * The columns of a row whose bytes are not text, so that what was read differs from what is
   * stored.
   *
   * @param row - Selected with its `place`; a row without a place and an id is taken as it was
   * read.
   */
  invalidTextColumns(table: string, row: Row): readonly string[] {
    const doubtful = Object.entries(row)
      .filter(([, cell]) => typeof cell === "string" && cell.includes(replacement))
      .map(([column]) => column);
    const found = doubtful.length > 0 ? rowKey(row) : undefined;
    if (found === undefined) return [];
    const [key, value] = found;
    const cells = doubtful.map((column) => `"${column.replaceAll('"', '""')}" = ?`);
    const sql = `SELECT ${cells} FROM ${table} WHERE ${key} = ?`;
    const statement = this.#connection.prepare(sql);
    statement.setReturnArrays(true);
    const texts = doubtful.map((column) => textIn(row[column]));
    const isSame: readonly unknown[] = Object.values(statement.get(...texts, value) ?? {});
    this.#expectUnchanged();
    return doubtful.filter((_, at) => isSame[at] !== 1);
  }

  /** From the next query on until it is closed, writes of a running client are not seen. */
  freeze(): void {
    this.#connection.exec("BEGIN");
  }

  close(): void {
    const connection = this.#connection;
    if (this.#copied === undefined) connection.close();
    else keepCopy(this.#target, this.#copied, connection);
  }

  #expectUnchanged(): void {
    if (this.#frozen !== undefined && this.#frozen !== markOf(this.#target)) {
      throw new DatabaseChanged(`${this.file} changed while it was read`);
    }
  }
}

/** How much is read before checking that the file is unchanged; length in characters. */
const maxUnchecked = { rows: 100, length: 1 << 20 };

type Opened = {
  readonly connection: DatabaseSync;
  readonly frozen?: string;
  readonly copied?: string;
};

function open(file: string): Opened {
  const [log, index, journal] = ["-wal", "-shm", "-journal"].map((suffix) => `${file}${suffix}`);
  const frozen = markOf(file);
  // Opening a file that was removed a moment ago fails here, instead of making one.
  if (frozen === undefined) statSync(file);
  if (sizeOf(`${journal}`) > 0) return openCopy(file, "-journal");
  const hasLog = sizeOf(`${log}`) >= 0;
  // SQLite would remove the log beside an empty file.
  if (hasLog && sizeOf(file) === 0) return openCopy(file, "-wal");
  if (hasLog && sizeOf(`${index}`) >= 0) {
    return { connection: openAt(file, "mode=ro&readonly_shm=1") };
  }
  // SQLite would make the missing index of a log.
  if (hasLog && sizeOf(`${log}`) > 0) return openCopy(file, "-wal");
  return { connection: openAt(file, "immutable=1"), ...(frozen && { frozen }) };
}

function openAt(file: string, query: string): DatabaseSync {
  const url = pathToFileURL(file);
  url.search = query;
  const { DatabaseSync } = sqlite();
  return new DatabaseSync(url, { readOnly: true });
}

/** Opens a copy in a folder that is deleted as soon as SQLite has the files open. */
function openCopy(file: string, suffix: string): Opened {
  const known = takeCopy(file, markOf(file));
  if (known) return known;
  const folder = mkdtempSync(join(tmpdir(), "pond-opencode-"));
  try {
    const copy = join(folder, basename(file));
    const copied = copyTo(copy, file, suffix);
    const { DatabaseSync } = sqlite();
    const connection = new DatabaseSync(copy);
    connection.prepare("SELECT count(*) FROM sqlite_master").get();
    return { connection, copied };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Copies a database and the files beside it as they were at one moment. Returns the mark of that
 * state.
 */
function copyTo(copy: string, file: string, suffix: string): string {
  for (let attempt = 1; attempt <= maxCopies; attempt++) {
    const before = markOf(file);
    for (const end of ["", suffix]) {
      copyFileSync(`${file}${end}`, `${copy}${end}`, constants.COPYFILE_FICLONE);
    }
    if (before !== undefined && markOf(file) === before) return before;
  }
  throw new DatabaseChanged(`${file} changes faster than it is read`);
}

const maxCopies = 5;

/** A copy that nobody is reading. It keeps no client from anything. */
type Copy = {
  readonly mark: string;
  readonly connection: DatabaseSync;
  readonly forgetting: NodeJS.Timeout;
};

/** By database: reading the next session would otherwise copy everything again. */
const kept: Map<string, Copy> = new Map();

function keepCopy(file: string, mark: string, connection: DatabaseSync): void {
  forgetCopy(file);
  if (connection.isTransaction) connection.exec("ROLLBACK");
  const forgetting = setTimeout(() => forgetCopy(file), keptMs).unref();
  kept.set(file, { mark, connection, forgetting });
}

/** The copy that was kept, if the database is unchanged. */
function takeCopy(file: string, mark: string | undefined): Opened | undefined {
  const copy = kept.get(file);
  if (copy === undefined || copy.mark !== mark) return undefined;
  clearTimeout(copy.forgetting);
  kept.delete(file);
  return { connection: copy.connection, copied: copy.mark };
}

function forgetCopy(file: string): void {
  const copy = kept.get(file);
  if (copy === undefined) return;
  clearTimeout(copy.forgetting);
  kept.delete(file);
  copy.connection.close();
}

/** Longer than a sync takes to store what it gathered from some sessions. */
const keptMs = 10_000;

/** Changes whenever the database or its log does; undefined if there is none. */
function markOf(file: string): string | undefined {
  const marks = [file, `${file}-wal`].map((path) => {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    // At any time the same, because it is compared with what it was a moment ago.
    return stats && fileFingerprint(stats, 0);
  });
  return marks[0] && marks.join("+");
}

/** -1 if there is no such file. */
function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? -1;
}
