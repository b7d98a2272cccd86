// What a person would write who wants to search his sessions: reads a Claude Code home into SQLite,
// with a full-text index: node src/side-by-side/sqlite-script.ts DATABASE HOME
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

type Block = { readonly type?: string; readonly text?: string };

type Line = {
  readonly sessionId?: string;
  readonly cwd?: string;
  readonly timestamp?: string;
  readonly message?: { readonly role?: string; readonly content?: string | readonly Block[] };
};

const [database = "", home = ""] = process.argv.slice(2);
const sqlite = new DatabaseSync(database);
sqlite.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE messages (id INTEGER PRIMARY KEY, session, project, role, time, text, record);
  CREATE INDEX by_session ON messages (session, time);
  CREATE INDEX by_project ON messages (project);
  CREATE VIRTUAL TABLE words USING fts5(text, content = 'messages', content_rowid = 'id');
`);
const message = sqlite.prepare(
  "INSERT INTO messages (session, project, role, time, text, record) VALUES (?, ?, ?, ?, ?, ?)",
);
const words = sqlite.prepare("INSERT INTO words (rowid, text) VALUES (?, ?)");
for (const file of globSync("projects/**/*.jsonl", { cwd: home })) {
  sqlite.exec("BEGIN");
  for (const record of readFileSync(join(home, file), "utf8").split("\n")) {
    if (record === "") continue;
    const line: Line = JSON.parse(record);
    const text = textOf(line);
    const { sessionId, cwd, timestamp } = line;
    const values = [sessionId, cwd, line.message?.role, timestamp, text, record];
    const { lastInsertRowid } = message.run(...values.map((value) => value ?? null));
    if (text !== null) words.run(lastInsertRowid, text);
  }
  sqlite.exec("COMMIT");
}
sqlite.close();

/** The text that was said, without calls of tools and their results. */
function textOf({ message }: Line): string | null {
  const content = message?.content ?? [];
  if (typeof content === "string") return content;
  const texts = content.flatMap(({ type, text }) => (type === "text" ? [text] : []));
  return texts.length === 0 ? null : texts.join("\n");
}
