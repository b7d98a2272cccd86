import { createHash } from "node:crypto";
import { stringifyJson } from "@pond/canonical";
import { type Database, numberIn, type Row, textIn } from "./database.ts";

/** What is known of a session without reading it. */
export type Summary = {
  /** Differs whenever the session may have changed. */
  readonly fingerprint: string;
  readonly bytes: number;
  readonly messages: number;
  readonly updatedMs: number;
};

/** The sessions of some tables by id, and the ids of those whose own row is gone. */
export type Summaries = {
  readonly sessions: ReadonlyMap<string, Summary>;
  readonly orphans: readonly string[];
  /** How many sessions have no id by which they could be asked for. */
  readonly nameless: number;
};

/** Sessions of 1.x, all or one. Costs a scan of the tables without their JSON. */
export function summaries1(database: Database, id?: string): Summaries {
  if (!database.has("session", "message", "part")) return nothing;
  const lists = database.has("todo") ? ["todo"] : [];
  return summarize(database, "session", ["message", "part", ...lists], id);
}

/** Sessions of 2.x; undefined where the database has none of its tables. */
export function tableOf2(database: Database): "session_v2" | "session" | undefined {
  if (database.has("session_v2", "session_message")) return "session_v2";
  // The betas had a database of their own. A 1.18 one has a preview of the messages only.
  const isBeta = database.has("session", "session_message") && !database.has("message");
  return isBeta ? "session" : undefined;
}

export function summaries2(database: Database, id?: string): Summaries {
  const table = tableOf2(database);
  return table ? summarize(database, table, ["session_message"], id) : nothing;
}

const nothing: Summaries = { sessions: new Map(), orphans: [], nameless: 0 };

function summarize(
  database: Database,
  table: string,
  children: readonly string[],
  id: string | undefined,
): Summaries {
  const parameters = id === undefined ? [] : [id];
  const where = (column: string) => (id === undefined ? "" : `WHERE ${column} = ?`);
  const counted = children.map((child) => {
    const bytes = database.columns(child).has("data") ? "sum(octet_length(data))" : "0";
    const rows = database.rows(
      `SELECT session_id, count(*) AS n, max(time_updated) AS t, ${bytes} AS b
       FROM ${child} ${where("session_id")} GROUP BY session_id`,
      ...parameters,
    );
    return new Map(Array.from(rows, (row) => [textIn(row["session_id"]), row]));
  });
  const sessions = new Map<string, Summary>();
  let nameless = 0;
  for (const row of database.rows(`SELECT * FROM ${table} ${where("id")}`, ...parameters)) {
    if (row["id"] === undefined) {
      nameless++;
      continue;
    }
    const own = textIn(row["id"]);
    sessions.set(
      own,
      summaryOf(
        row,
        counted.map((counts) => counts.get(own) ?? {}),
      ),
    );
  }
  const orphans = counted.flatMap((counts) => [...counts.keys()].filter((id) => !sessions.has(id)));
  return { sessions, orphans: [...new Set(orphans)], nameless };
}

function summaryOf(session: Row, counts: readonly Row[]): Summary {
  const state = stringifyJson([session, ...counts]);
  const bytes = counts.map(({ b }) => numberIn(b)).reduce((sum, size) => sum + size, 0);
  return {
    fingerprint: createHash("sha256").update(state).digest("hex").slice(0, 32),
    bytes,
    messages: numberIn(counts[0]?.["n"]),
    updatedMs: numberIn(session["time_updated"]),
  };
}
