import { DatabaseSync } from "node:sqlite";
import type { SetSession } from "./retrieval-sets.ts";

/** Sessions by SQLite FTS5 over the same messages: the best message of each, ranked OR. */
export class SqliteHaystack {
  readonly #database = new DatabaseSync(":memory:");
  readonly #tokenizer: string;

  constructor(tokenizer: "unicode61" | "trigram", sets: readonly (readonly SetSession[])[]) {
    this.#tokenizer = tokenizer;
    this.#database.exec(
      `CREATE VIRTUAL TABLE m USING fts5(session UNINDEXED, text, tokenize = "${tokenizer}")`,
    );
    const insert = this.#database.prepare("INSERT INTO m VALUES (?, ?)");
    this.#database.exec("BEGIN");
    for (const { id, messages } of sets.flat()) {
      for (const { text } of messages) insert.run(id, text);
    }
    this.#database.exec("COMMIT");
  }

  sessions(question: string, limit: number): string[] {
    const words = question.match(/[\p{L}\p{N}_]+/gu) ?? [];
    const least = this.#tokenizer === "trigram" ? 3 : 1;
    const match = words.filter(({ length }) => length >= least).map((word) => `"${word}"`);
    if (match.length === 0) return [];
    const rows = this.#database
      .prepare("SELECT session FROM m WHERE m MATCH ? ORDER BY rank LIMIT 200")
      .all(match.join(" OR "));
    return [...new Set(rows.map(({ session }) => String(session)))].slice(0, limit);
  }

  close(): void {
    this.#database.close();
  }
}
