import { createHash } from "node:crypto";
import { type FaultEvent, type JsonValue, stringifyJson } from "@pond/canonical";
import { fault } from "../faults.ts";
import { idIn, idIsText, numberIn, type Row, textIn } from "./cells.ts";
import type { Database } from "./database.ts";

/** What is known of a session without reading it. */
export type Summary = {
  /** Differs whenever the session may have changed. */
  readonly fingerprint: string;
  readonly bytes: number;
  readonly messages: number;
  readonly updatedMs: number;
};

/** The sessions of some tables by the id by which they are asked for. */
export type Summaries = {
  readonly sessions: ReadonlyMap<string, Summary>;
  /** Sessions that cannot be asked for, and messages whose session is gone or is such a one. */
  readonly faults: readonly FaultEvent[];
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

const nothing: Summaries = { sessions: new Map(), faults: [] };

function summarize(
  database: Database,
  table: string,
  children: readonly string[],
  id: string | undefined,
): Summaries {
  const parameters = id === undefined ? [] : [id];
  const where = (column: string) => (id === undefined ? "" : `WHERE ${column} = ?`);
  const faults: FaultEvent[] = [];
  const report = (own: JsonValue | undefined, reason: string): void => {
    faults.push(
      fault(own === undefined ? database.file : `${database.file}:${textIn(own)}`, reason),
    );
  };
  // Messages, parts and lists of one session are told of once.
  const strays = new Map<string, readonly [JsonValue | undefined, string]>();
  const stray = (own: JsonValue | undefined, reason: string): void => {
    strays.set(`${reason} ${textIn(own)}`, [own, reason]);
  };
  const counted = children.map((child) => {
    const bytes = database.columns(child).has("data") ? "sum(octet_length(data))" : "0";
    const rows = database.rows(
      `SELECT session_id, count(*) AS n, max(time_updated) AS t, ${bytes} AS b,
       ${idIsText("session_id")} FROM ${child} ${where("session_id")} GROUP BY session_id`,
      ...parameters,
    );
    const counts = new Map<string, Row>();
    for (const { pond_is_text: isText, ...row } of rows) {
      const own = idIn(row["session_id"], isText);
      if (own !== undefined) counts.set(own, row);
      else if (row["session_id"] === undefined) stray(undefined, "messages of no session");
      else stray(row["session_id"], `messages of a session with ${noId}`);
    }
    return counts;
  });
  const sessions = new Map<string, Summary>();
  const rows = database.rows(
    `SELECT *, ${idIsText("id")} FROM ${table} ${where("id")}`,
    ...parameters,
  );
  for (const { pond_is_text: isText, ...row } of rows) {
    const own = idIn(row["id"], isText);
    if (row["id"] === undefined) report(undefined, "a session without an id");
    else if (own === undefined) report(row["id"], noId);
    else if (sessions.has(own)) report(own, "a second session of this id: not ingested");
    else {
      const counts = counted.map((each) => each.get(own) ?? {});
      sessions.set(own, summaryOf(row, counts));
    }
  }
  for (const own of counted.flatMap((counts) => [...counts.keys()])) {
    if (!sessions.has(own)) stray(own, "messages of a session that is gone");
  }
  for (const [own, reason] of strays.values()) report(own, reason);
  return { sessions, faults };
}

/** Why a session is not ingested that could not be asked for by its id. */
export const noId = "an id that no client gives: not ingested";

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
