import { eq, oneOf, type Store } from "@pond/substrate";
import { liveMessages, sessionItself } from "../revisions/reconcile.ts";
import { tombstoneRow } from "../revisions/revisions.ts";
import { storedColumns, storedMessage } from "../revisions/stored-messages.ts";
import { Columns } from "../rows/columns.ts";
import { idChunks } from "../rows/id-chunks.ts";
import type { Labels } from "../rows/to-rows.ts";
import { remakeWindows } from "../search/rebuild-windows.ts";
import { type Begun, mayBeOther, sharing } from "./begun-elsewhere.ts";
import type { Gathered, Inserted } from "./gathered.ts";

// Two ingests at once may each think new what has one id and is two sessions. Whoever stores the row
// of the session has the id; the other one leaves its own for its next run, which gives it a name.

type InsertedBySession = ReadonlyMap<Gathered, readonly Inserted[]>;

/** What others have stored under the ids of sessions that were thought new. */
export type Rivals = {
  /** Sessions whose id another session has, with the labels of that. */
  readonly taken: ReadonlyMap<Gathered, Labels>;
  /** Projects of another session's messages there, which has not got as far as its own row. */
  readonly unfinished: ReadonlyMap<Gathered, ReadonlySet<string>>;
};

export const noRivals: Rivals = { taken: new Map(), unfinished: new Map() };

/** Finds the rivals of sessions that were thought new when these messages of them were read. */
export async function findRivals(
  store: Store,
  thoughtNew: Iterable<Gathered>,
  inserted: InsertedBySession,
): Promise<Rivals> {
  const bySession = new Map([...thoughtNew].map((each) => [each.labels.sessionId, each]));
  const taken = new Map<Gathered, Labels>();
  const unfinished = new Map<Gathered, Set<string>>();
  if (bySession.size === 0) return noRivals;
  // Parts of the next batch may be on their way: only these tables are looked at anew.
  await Promise.all([store.table("sessions").refresh(), store.table("messages").refresh()]);
  for (const ids of idChunks([...bySession.keys()])) {
    const columns = ["source_agent", "project"];
    for await (const { id, row } of rowsOf(store, "sessions", ids, [...columns, "created_at"])) {
      const own = bySession.get(id);
      const stored = begunIn(row, BigInt(row["created_at"] as bigint));
      const { sourceAgent, project } = stored;
      if (own && (await isRival(store, own, stored, inserted.get(own)))) {
        taken.set(own, { ...own.labels, sourceAgent, project });
      }
    }
    // Its messages are there before the session itself is.
    for await (const { id, row } of rowsOf(store, "messages", ids, columns)) {
      const own = bySession.get(id);
      const { sourceAgent, project } = begunIn(row, 0n);
      if (own === undefined) continue;
      if (sourceAgent !== own.labels.sourceAgent) {
        taken.set(own, { ...own.labels, sourceAgent, project });
      } else if (project !== own.labels.project) {
        unfinished.set(own, (unfinished.get(own) ?? new Set()).add(project));
      }
    }
  }
  for (const [own, projects] of unfinished) {
    for (const project of projects) {
      const times = timesOf(inserted.get(own));
      const isShared = await sharing(store, new Map([[own.labels.sessionId, project]]), times);
      if (isShared !== undefined || taken.has(own)) projects.delete(project);
    }
    if (projects.size === 0) unfinished.delete(own);
  }
  return { taken, unfinished };
}

/** True where what is stored under the id of a session is another one. */
export async function isRival(
  store: Store,
  { labels, begun }: Gathered,
  stored: Begun,
  inserted: readonly Inserted[] | undefined,
): Promise<boolean> {
  if (stored.sourceAgent !== labels.sourceAgent) return true;
  if (begun === undefined || !mayBeOther(begun, stored)) return false;
  const projects = new Map([[labels.sessionId, stored.project]]);
  return (await sharing(store, projects, timesOf(inserted))) === undefined;
}

/**
 * Takes out of a session what was stored in it as of a session of another project that has its id: it
 * stays, and is not shown. A message that the session has, too, says so by a row of its own project.
 */
export async function leaveOutOther(
  store: Store,
  labels: Labels,
  project: string,
  ingestedAt: bigint,
): Promise<void> {
  const table = store.table("messages");
  await table.refresh();
  const columns = [...storedColumns, "project"];
  const rows = await table.rows({ columns, where: eq("session_id", labels.sessionId) });
  const projects = new Map<string, Set<string>>();
  for (const row of rows) {
    const id = String(row["revises"] ?? row["id"]);
    projects.set(id, (projects.get(id) ?? new Set()).add(String(row["project"])));
  }
  const carriers = new Columns();
  for (const message of liveMessages(rows.map(storedMessage)).values()) {
    const said = projects.get(message.id);
    const isOfOther = said?.has(project) && !said.has(labels.project);
    if (!isOfOther || message.digest === null || message.id === sessionItself) continue;
    carriers.push(tombstoneRow(labels, message, message.timestamp, ingestedAt));
  }
  if (carriers.length === 0) return;
  await table.insert(carriers.batch());
  await remakeWindows(store, labels);
}

async function* rowsOf(
  store: Store,
  name: "sessions" | "messages",
  ids: readonly string[],
  columns: readonly string[],
): AsyncGenerator<{ readonly id: string; readonly row: Readonly<Record<string, unknown>> }> {
  const key = name === "sessions" ? "id" : "session_id";
  const where = oneOf(key, ids);
  for await (const rows of store.table(name).scan({ columns: [key, ...columns], where })) {
    for (const row of rows) yield { id: String(row[key]), row };
  }
}

function begunIn(row: Readonly<Record<string, unknown>>, createdAt: bigint): Begun {
  return { sourceAgent: String(row["source_agent"]), project: String(row["project"]), createdAt };
}

function timesOf(inserted: readonly Inserted[] = []): Map<string, bigint> {
  return new Map(inserted.map(({ id, timestamp }) => [id, timestamp]));
}
