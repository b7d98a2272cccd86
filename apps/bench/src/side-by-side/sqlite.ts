import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Bench } from "./bench.ts";
import type { Contender, Outcome } from "./measure.ts";
import { timed } from "./outcome.ts";

const script = resolve(import.meta.dirname, "sqlite-script.ts");
const best = 30;

const found = `SELECT session, snippet(words, 0, '[', ']', '…', 16) AS text FROM words
  JOIN messages ON messages.id = words.rowid WHERE words MATCH ? ORDER BY rank LIMIT ${best}`;
const listed = `SELECT session, project, count(*) AS messages, max(time) AS last FROM messages
  WHERE session IS NOT NULL GROUP BY session ORDER BY last DESC`;
const counted = `SELECT project, count(DISTINCT session) AS sessions, count(*) AS messages FROM messages
  WHERE project IS NOT NULL GROUP BY project`;

/**
 * The script that one would write, and its database, asked by a process of its own and by one that
 * stays.
 */
export function sqliteContenders({ home, corpus, queries, run }: Bench): Contender[] {
  const kind = "process";
  const tool = "node:sqlite, FTS5";
  const database = join(home.folder, "sessions.db");
  const ask = (sql: string, ...values: readonly string[]): Outcome => {
    const { stdout, ...spent } = run(process.execPath, [...asking, database, sql, ...values]);
    return { ...spent, found: JSON.parse(stdout).length };
  };
  let opened: DatabaseSync | undefined;
  const open = (): DatabaseSync => {
    opened ??= new DatabaseSync(database, { readOnly: true });
    return opened;
  };
  const answers = "the best messages first, with snippets; an index";
  return [
    {
      ...{ operation: "read everything", tool, kind, isOnce: true },
      answers: "lines stored whole, conversation indexed",
      run: () => ({
        ...run(process.execPath, [script, database, corpus.home]),
        found: corpus.records,
      }),
    },
    ...queries.flatMap(({ operation, texts }): Contender[] => {
      const match = texts.map((text) => `"${text}"`).join(" AND ");
      return [
        { operation, tool, kind, answers, run: () => ask(found, match) },
        {
          ...{ operation, tool: `${tool}, open`, kind: "open", answers },
          run: () => timed(async () => open().prepare(found).all(match).length),
        },
      ];
    }),
    {
      ...{ operation: "list sessions", tool, kind, answers: "projects, messages, last activity" },
      run: () => ask(listed),
    },
    {
      ...{ operation: "count by project", tool, kind, answers: "sessions and messages" },
      run: () => ask(counted),
    },
  ];
}

const code = `import { DatabaseSync } from "node:sqlite";
const [file, sql, ...values] = process.argv.slice(1);
const rows = new DatabaseSync(file, { readOnly: true }).prepare(sql).all(...values);
console.log(JSON.stringify(rows));`;
const asking = ["--no-warnings", "--input-type=module", "--eval", code];
