import type { Message, Session } from "@pond/canonical";
import { type Cell, oneOf, type Row, type Store } from "@pond/substrate";
import { type LiveMessage, liveMessages } from "../revisions/reconcile.ts";
import { revisionRow } from "../revisions/revisions.ts";
import { sessionDigest, sessionRevisionRow, sessionState } from "../revisions/session-revisions.ts";
import { type FoundMessage, storedMessages } from "../revisions/stored-messages.ts";
import { Columns } from "../rows/columns.ts";
import { partColumns, sessionColumns, sessionFromRow } from "../rows/from-rows.ts";
import { idChunks } from "../rows/id-chunks.ts";
import { tornDigest } from "../rows/message-digest.ts";
import type { Labels } from "../rows/to-rows.ts";
import type { Gathered, Inserted } from "./gathered.ts";
import { putOff } from "./outcome.ts";
import { withStoredOrigin } from "./stored-origin.ts";

// Rows thought new may be there: from a run that broke off between two commits, or from another
// process. Inserting left those rows as they are; here is what that means for the messages.

const comparedColumns = [...partColumns, "data"];

/** What is asked of the batch that was written. */
export type Written = {
  readonly ingestedAt: bigint;
  readonly inserted: ReadonlyMap<Gathered, readonly Inserted[]>;
  messageOf(inserted: Inserted): Message;
  partOf(row: number): Row;
};

/**
 * The sessions that were thought new and that another client has stored its own of meanwhile, or the
 * same client one that it began in another project, with the labels of those.
 */
export async function findOthers(
  store: Store,
  thoughtNew: Iterable<Gathered>,
  batch: Written,
): Promise<Map<Gathered, Labels>> {
  const bySession = new Map([...thoughtNew].map((each) => [each.labels.sessionId, each]));
  const others = new Map<Gathered, Labels>();
  if (bySession.size === 0) return others;
  const sharing = new Set<Gathered>();
  // Parts of the next batch may be on their way: only these tables are looked at anew.
  await Promise.all([store.table("sessions").refresh(), store.table("messages").refresh()]);
  for (const ids of idChunks([...bySession.keys()])) {
    // Its messages are there before the session itself is.
    for (const [table, id, message] of [
      ["sessions", "id", []],
      ["messages", "session_id", ["id", "timestamp"]],
    ] as const) {
      const columns = [id, "source_agent", "project", ...message];
      for await (const rows of store.table(table).scan({ columns, where: oneOf(id, ids) })) {
        for (const row of rows) {
          const own = bySession.get(String(row[id]));
          if (own === undefined) continue;
          const labels = {
            sourceAgent: String(row["source_agent"]),
            project: String(row["project"]),
          };
          const isOfClient = labels.sourceAgent === own.labels.sourceAgent;
          if (isOfClient && labels.project === own.labels.project) continue;
          if (isOfClient && !sharing.has(own) && isAdded(batch, own, row)) sharing.add(own);
          others.set(own, { ...own.labels, ...labels });
        }
      }
    }
  }
  // What shares a message is no other session of that client, wherever it is read.
  for (const own of sharing) {
    if (others.get(own)?.sourceAgent === own.labels.sourceAgent) others.delete(own);
  }
  return others;
}

/** True for a row of a message that was added, too. One without an id of its own tells by its time. */
function isAdded(batch: Written, own: Gathered, { id, timestamp }: Row): boolean {
  const added = batch.inserted.get(own)?.find((each) => each.id === id);
  return added !== undefined && batch.messageOf(added).timestamp === timestamp;
}

/**
 * Messages whose part rows, or some of them, were there with other values. Their own rows may
 * still be missing, so nothing else would show that they do not match.
 */
export async function findTorn(store: Store, batch: Written): Promise<Inserted[]> {
  const bySession = new Map(
    [...batch.inserted].map(([{ labels }, own]) => [labels.sessionId, byId(own)]),
  );
  const torn = new Set<Inserted>();
  for (const ids of idChunks([...bySession.keys()])) {
    const where = oneOf("session_id", ids);
    for await (const rows of store.table("parts").scan({ columns: comparedColumns, where })) {
      for (const row of rows) {
        const own = bySession.get(String(row["session_id"]))?.get(String(row["message_id"]));
        if (own && !holdsPart(batch, own, row)) torn.add(own);
      }
    }
  }
  return [...torn];
}

/**
 * The carriers that make the store show what was read, where rows that were there hold another
 * value or stand in another place. Corrects the counts of what was added.
 */
export async function reviseDiffering(store: Store, batch: Written): Promise<Columns> {
  const carriers = new Columns();
  const gatheredBy = new Map(
    [...batch.inserted.keys()].map((each) => [each.labels.sessionId, each]),
  );
  for (const ids of idChunks([...gatheredBy.keys()])) {
    const stored = await storedMessages(store, ids);
    for (const id of ids) {
      const [gathered, rows] = [gatheredBy.get(id), stored.get(id)];
      if (!gathered || !rows) continue;
      discount(gathered, batch, rows);
      await reviseSession(gathered, batch, liveMessages(rows), carriers);
    }
  }
  return carriers;
}

async function reviseSession(
  gathered: Gathered,
  batch: Written,
  live: ReadonlyMap<string, LiveMessage>,
  carriers: Columns,
): Promise<void> {
  const { labels, outcome, hooks } = gathered;
  let isUnchanged: boolean | undefined;
  for (const inserted of batch.inserted.get(gathered) ?? []) {
    const { id, digest, ordinal } = inserted;
    const stored = live.get(id);
    if (stored === undefined) continue;
    const isSame = stored.digest === digest;
    if (isSame && stored.ordinal === ordinal) continue;
    // Asked after the stored rows were loaded: who stored a later state had read it before. A torn
    // message shows no state at all, so any is better.
    isUnchanged ??= await hooks.isUnchanged();
    if (!isUnchanged && stored.digest !== tornDigest) {
      outcome.deferred += 1;
      continue;
    }
    const message = batch.messageOf(inserted);
    const { timestamp } = message;
    const state = { timestamp, ordinal, digest, message: isSame ? undefined : message };
    carriers.push(revisionRow(labels, stored, state, batch.ingestedAt));
    if (stored.digest !== tornDigest) outcome.revisions += 1;
  }
}

/**
 * The carriers of sessions of which another process stored a row meanwhile that says something else.
 * Their labels stay as that has them.
 *
 * @param areClientsApart - One of another client gets an id of its own the next time.
 */
export async function reviseOpened(
  store: Store,
  opened: ReadonlyMap<Gathered, Session>,
  {
    ingestedAt,
    areClientsApart,
  }: { readonly ingestedAt: bigint; readonly areClientsApart: boolean },
): Promise<Columns> {
  const carriers = new Columns();
  const own = new Map([...opened].map((each) => [each[1].id, each]));
  for (const ids of idChunks([...own.keys()])) {
    const where = oneOf("id", ids);
    const rows = await store.table("sessions").rows({ columns: sessionColumns, where });
    const messages = await storedMessages(store, ids);
    for (const stored of rows.map(sessionFromRow)) {
      const { id: sessionId, source_agent: sourceAgent, project } = stored;
      const found = own.get(sessionId);
      if (found === undefined) continue;
      const [{ outcome, hooks, unresolved }, read] = found;
      if (areClientsApart && read.source_agent !== sourceAgent) {
        putOff(outcome);
        continue;
      }
      if (read.source_agent !== sourceAgent || read.project !== project) {
        outcome.rejected = true;
      }
      const state = sessionState(stored, messages.get(sessionId) ?? []);
      const event = { session: read, unresolved };
      const session = await withStoredOrigin(store, event, { session: stored, state });
      if (sessionDigest(session) === state.digest) continue;
      if (await hooks.isUnchanged()) {
        const labels = { sessionId, sourceAgent, project };
        carriers.push(sessionRevisionRow(labels, state, session, ingestedAt));
        outcome.revisions += 1;
      } else outcome.deferred += 1;
    }
  }
  return carriers;
}

/** What was there was not added by this ingest. */
function discount(
  gathered: Gathered,
  { inserted, ingestedAt }: Written,
  rows: readonly FoundMessage[],
): void {
  const ids = byId(inserted.get(gathered) ?? []);
  for (const row of rows) {
    const own = row.ingestedAt === ingestedAt ? undefined : ids.get(row.id);
    if (own === undefined) continue;
    gathered.outcome.messages_added -= 1;
    gathered.outcome.parts_added -= own.partCount;
  }
}

function holdsPart(batch: Written, { partRow, partCount }: Inserted, stored: Row): boolean {
  const position = Number(stored["ordinal"]);
  if (position >= partCount) return false;
  const own = batch.partOf(partRow + position);
  return comparedColumns.every((column) => isSameCell(own[column] ?? null, stored[column] ?? null));
}

function isSameCell(own: Cell, stored: Cell): boolean {
  return own instanceof Uint8Array && stored instanceof Uint8Array
    ? Buffer.compare(own, stored) === 0
    : own === stored;
}

function byId(own: readonly Inserted[]): Map<string, Inserted> {
  return new Map(own.map((each) => [each.id, each]));
}
