import { createHash } from "node:crypto";
import { type FaultEvent, type JsonValue, stringifyJson } from "@pond/canonical";
import { fault } from "../faults.ts";
import { idIn, idIsTextSql, numberIn, type Row, textIn } from "./cells.ts";
import { type Database, isCorruption, isSqliteError } from "./database.ts";
import { openFault } from "./open-databases.ts";

/** What is known about a session without reading it. */
export type Summary = {
  /** Changes whenever the session may have changed. */
  readonly fingerprint: string;
  readonly bytes: number;
  readonly messages: number;
  readonly updatedMs: number;
};

/** The sessions of some tables, by the id under which they are asked for. */
export type Summaries = {
  readonly sessions: ReadonlyMap<string, Summary>;
  /** Sessions that cannot be asked for, and messages whose session is gone or is such a one. */
  readonly faults: readonly FaultEvent[];
  /** Why not all of them could be listed. */
  readonly error?: Error;
};

/** Sessions of 1.x, all or one. Costs a scan of the tables without their JSON. */
export function summaries1(database: Database, id?: string): Summaries {
  if (!database.has("session", "message", "part")) return noSummaries;
  const others = isShared(database) ? ["session_message"] : [];
  const children = ["message", "part", ...others, ...listsOf(database)];
  return summarizeReadable(
    database,
    { table: "session", own: `NOT (${isVersion2Sql(database)})`, children },
    id,
  );
}

/** Sessions of 2.x, in the same way. */
export function summaries2(database: Database, id?: string): Summaries {
  const table = sessionTable2(database);
  if (table === undefined) return noSummaries;
  const own = table === "session" ? isVersion2Sql(database) : "1";
  const lists = isShared(database) ? listsOf(database) : [];
  return summarizeReadable(database, { table, own, children: ["session_message", ...lists] }, id);
}

/**
 * Where sessions of 2.x are; undefined if the database has none of its tables. Before messages
 * beside those of 1.x had an order, they were previews, which the client deleted.
 */
export function sessionTable2(database: Database): "session_v2" | "session" | undefined {
  if (database.has("session_v2", "session_message")) return "session_v2";
  const isPreview = database.has("message") && !database.columns("session_message").has("seq");
  return database.has("session", "session_message") && !isPreview ? "session" : undefined;
}

/** True if one table holds the sessions of both, as in previews of 2.x and late releases of 1.x. */
export function isShared(database: Database): boolean {
  return sessionTable2(database) === "session" && database.has("message");
}

/**
 * SQL that tells whether a row of `session` belongs only to 2.x. A row beside messages of 1.x is
 * read with these.
 */
function isVersion2Sql(database: Database): string {
  if (sessionTable2(database) !== "session") return "0";
  if (!isShared(database)) return "1";
  const has = (table: string) =>
    `EXISTS (SELECT 1 FROM ${table} WHERE ${table}.session_id = session.id)`;
  return `${has("session_message")} AND NOT ${has("message")}`;
}

function listsOf(database: Database): readonly string[] {
  return database.has("todo") ? ["todo"] : [];
}

const noSummaries: Summaries = { sessions: new Map(), faults: [] };

type SummaryQuery = {
  readonly table: string;
  /** SQL that tells whether a row is a session of the wanted kind. */
  readonly own: string;
  readonly children: readonly string[];
};

/**
 * What cannot be listed hides nothing else: not the rest of its home, and, in a damaged file, not
 * the sessions elsewhere in it.
 */
function summarizeReadable(
  database: Database,
  wanted: SummaryQuery,
  id: string | undefined,
): Summaries {
  try {
    return summarize(database, wanted, id);
  } catch (error) {
    if (!isSqliteError(error)) throw error;
    const isWhole = id === undefined && isCorruption(error);
    return { ...(isWhole ? summarizeEach(database, wanted) : noSummaries), error };
  }
}

function summarizeEach(database: Database, wanted: SummaryQuery): Summaries {
  const sessions = new Map<string, Summary>();
  const faults: FaultEvent[] = [];
  for (const id of idsIn(database, wanted.table)) {
    const found = summarizeReadable(database, wanted, id);
    for (const [own, summary] of found.sessions) sessions.set(own, summary);
    if (found.error) faults.push(openFault(`${database.file}:${id}`, found.error));
  }
  return { sessions, faults };
}

/**
 * The ids of sessions up to the first damaged place, both in what SQLite reads for them and in the
 * table.
 */
function idsIn(database: Database, table: string): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const from of [table, `${table} NOT INDEXED`]) {
    try {
      for (const row of database.rows(`SELECT id, ${idIsTextSql("id")} FROM ${from}`)) {
        const id = idIn(row["id"], row["pond_is_text"]);
        if (id !== undefined) ids.add(id);
      }
    } catch (error) {
      if (!isCorruption(error)) throw error;
    }
  }
  return ids;
}

function summarize(
  database: Database,
  { table, own: ownRows, children }: SummaryQuery,
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
  // Messages, parts and lists of one session are reported once.
  const strays = new Map<string, readonly [JsonValue | undefined, string]>();
  const stray = (own: JsonValue | undefined, reason: string): void => {
    strays.set(`${reason} ${textIn(own)}`, [own, reason]);
  };
  const counted = children.map((child) => {
    const bytes = database.columns(child).has("data") ? "sum(octet_length(data))" : "0";
    // The sum too: a clock that was set back leaves the newest time as it is.
    const rows = database.rows(
      `SELECT session_id, count(*) AS n, max(time_updated) AS t, total(time_updated) AS u,
       ${bytes} AS b, ${idIsTextSql("session_id")}
       FROM ${child} ${where("session_id")} GROUP BY session_id`,
      ...parameters,
    );
    const counts = new Map<string, Row>();
    for (const { pond_is_text: isText, ...row } of id === undefined ? rows : readableRows(rows)) {
      const own = idIn(row["session_id"], isText);
      if (own !== undefined) counts.set(own, row);
      else if (row["session_id"] === undefined) stray(undefined, "messages of no session");
      else stray(row["session_id"], `messages of a session with ${noId}`);
    }
    return counts;
  });
  const sessions = new Map<string, Summary>();
  const others = new Set<string>();
  const rows = database.rows(
    `SELECT *, ${idIsTextSql("id")}, ${ownRows} AS pond_is_own FROM ${table} ${where("id")}`,
    ...parameters,
  );
  for (const { pond_is_text: isText, pond_is_own: isOwn, ...row } of rows) {
    const own = idIn(row["id"], isText);
    if (numberIn(isOwn) === 0) others.add(own ?? "");
    else if (row["id"] === undefined) report(undefined, "a session without an id");
    else if (own === undefined) report(row["id"], noId);
    else if (sessions.has(own)) report(own, "a second session of this id: not ingested");
    else {
      const counts = counted.map((each) => each.get(own) ?? {});
      sessions.set(own, summaryOf(row, counts));
    }
  }
  for (const own of counted.flatMap((counts) => [...counts.keys()])) {
    if (!sessions.has(own) && !others.has(own)) stray(own, "messages of a session that is gone");
  }
  for (const [own, reason] of strays.values()) report(own, reason);
  return { sessions, faults };
}

/** A session is measured by what can be read of it, and read that far. */
function* readableRows(rows: Iterable<Row>): Generator<Row> {
  try {
    yield* rows;
  } catch (error) {
    if (!isCorruption(error)) throw error;
  }
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
