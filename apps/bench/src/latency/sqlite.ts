import { DatabaseSync } from "node:sqlite";
import type { LatencySession } from "./corpus.ts";
import type { Bounds, LatencyQuery } from "./queries.ts";

export const tokenizers = ["trigram", "unicode61"] as const;
export type Tokenizer = (typeof tokenizers)[number];

const rowLimit = 30;

/** The same rows in SQLite: one table, with an FTS5 index of each kind over it. */
export class LatencySqlite {
  readonly #database: DatabaseSync;

  constructor(file: string) {
    this.#database = new DatabaseSync(file);
  }

  /** Inserts the sessions as they come. Not durable: an incomplete file is made again. */
  fill(sessions: Iterable<LatencySession>): void {
    this.#database.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
    this.#database.exec(
      "CREATE TABLE rows (id INTEGER PRIMARY KEY, text, project, role, time INTEGER)",
    );
    const insert = this.#database.prepare(
      "INSERT INTO rows (text, project, role, time) VALUES (?, ?, ?, ?)",
    );
    this.#database.exec("BEGIN");
    for (const { project, messages } of sessions) {
      for (const { text, role, timeMs } of messages) insert.run(text, project, role, timeMs);
    }
    this.#database.exec("COMMIT");
    for (const tokenizer of tokenizers) {
      const options = `text, content = 'rows', content_rowid = 'id', tokenize = '${tokenizer}'`;
      this.#database.exec(`CREATE VIRTUAL TABLE ${tokenizer} USING fts5(${options})`);
      this.#database.exec(`INSERT INTO ${tokenizer}(${tokenizer}) VALUES ('rebuild')`);
      this.#database.exec(`INSERT INTO ${tokenizer}(${tokenizer}) VALUES ('optimize')`);
    }
  }

  /** The best 30 rows, each with its snippet. What the index cannot find is scanned for. */
  search(tokenizer: Tokenizer, { words, phrase }: LatencyQuery, bounds: Bounds): number {
    const { sql, values } = whereOf(bounds);
    const texts = phrase === undefined ? words : [phrase];
    const served = texts.filter((text) => tokenizer !== "trigram" || [...text].length >= 3);
    const [text = ""] = texts;
    if (served.length === 0) {
      const scan = this.#database.prepare(
        `SELECT id, text FROM rows WHERE text LIKE ? ${sql} LIMIT ${rowLimit}`,
      );
      return scan.all(`%${text}%`, ...values).length;
    }
    const match = served.map((each) => `"${each.replaceAll('"', '""')}"`).join(" OR ");
    const isBound = sql !== "";
    const select = this.#database.prepare(
      `SELECT ${tokenizer}.rowid, snippet(${tokenizer}, 0, '[', ']', '…', 16) FROM ${tokenizer}
       ${isBound ? `JOIN rows ON rows.id = ${tokenizer}.rowid` : ""}
       WHERE ${tokenizer} MATCH ? ${sql} ORDER BY rank LIMIT ${rowLimit}`,
    );
    return select.all(match, ...values).length;
  }

  /** Bytes of one index, without the rows. */
  bytes(tokenizer: Tokenizer): number {
    const row = this.#database
      .prepare(`SELECT sum(length(block)) AS bytes FROM ${tokenizer}_data`)
      .get();
    return Number(row?.["bytes"]);
  }

  close(): void {
    this.#database.close();
  }
}

function whereOf({ project, role, since }: Bounds): { sql: string; values: (string | number)[] } {
  const bounds = [
    ["project = ?", project],
    ["role = ?", role],
    ["time >= ?", since === undefined ? undefined : Date.parse(since)],
  ] as const;
  const given = bounds.filter(([, value]) => value !== undefined);
  return {
    sql: given.map(([sql]) => `AND rows.${sql}`).join(" "),
    values: given.map(([, value]) => value ?? ""),
  };
}
