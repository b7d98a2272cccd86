import { rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

export type SearchableRow = {
  readonly text: string;
  readonly project: string;
  readonly role: string;
};

export const sqliteTokenizers = ["trigram", "unicode61"] as const;

/** The baseline: what a plain program would search with. */
export type SqliteIndex = {
  /** The best 30 rows for any of the words, each with its snippet. */
  search(words: string, filters?: { readonly project: string; readonly role: string }): void;
  close(): void;
};

export function createSqliteIndex(
  file: string,
  tokenizer: (typeof sqliteTokenizers)[number],
  rows: readonly SearchableRow[],
): SqliteIndex {
  const database = new DatabaseSync(file);
  const columns = `text, project UNINDEXED, role UNINDEXED, tokenize='${tokenizer}'`;
  database.exec(`CREATE VIRTUAL TABLE messages USING fts5(${columns})`);
  database.exec("BEGIN");
  const insert = database.prepare("INSERT INTO messages VALUES (?, ?, ?)");
  for (const { text, project, role } of rows) insert.run(text, project, role);
  database.exec("COMMIT");
  const select = (where: string) =>
    database.prepare(
      `SELECT rowid, snippet(messages, 0, '[', ']', '…', 16), rank FROM messages
       WHERE messages MATCH ? ${where} ORDER BY rank LIMIT 30`,
    );
  const plain = select("");
  const filtered = select("AND project = ? AND role = ?");
  return {
    search: (words, filters) => {
      const query = words
        .split(" ")
        .map((word) => `"${word}"`)
        .join(" OR ");
      if (filters === undefined) plain.all(query);
      else filtered.all(query, filters.project, filters.role);
    },
    close: () => {
      database.close();
      rmSync(file);
    },
  };
}
