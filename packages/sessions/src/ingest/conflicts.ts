import type { Message, Session } from "@pond/canonical";
import { type Cell, oneOf, type Row, type Store } from "@pond/substrate";
import { type LiveMessage, liveMessages } from "../revisions/reconcile.ts";
import { revisionRow } from "../revisions/revisions.ts";
import { sessionDigest, sessionRevisionRow, sessionState } from "../revisions/session-revisions.ts";
import { type FoundMessage, storedMessages } from "../revisions/stored-messages.ts";
import { Columns } from "../rows/columns.ts";
import { sessionColumns, sessionFromRow } from "../rows/from-rows.ts";
import { idChunks } from "../rows/id-chunks.ts";
import { checkedPartColumns } from "../rows/message-content.ts";
import { tornDigest } from "../rows/message-digest.ts";
import type { Labels } from "../rows/to-rows.ts";
import { isIdConflict } from "./id-conflicts.ts";
import type { IncomingSession, InsertedMessage } from "./incoming-session.ts";
import { startOf } from "./reused-ids.ts";
import { withStoredOrigin } from "./stored-origin.ts";

// Rows that were presumed new may exist: from a run that broke off between two commits, or from
// another process. The insert left those rows as they are; this file decides what that means for
// the messages.

/** What is needed from the batch that was written. */
export type WrittenBatch = {
  readonly ingestedAt: bigint;
  readonly inserted: ReadonlyMap<IncomingSession, readonly InsertedMessage[]>;
  messageOf(inserted: InsertedMessage): Message;
  partOf(row: number): Row;
};

/**
 * Messages of which some or all part rows existed with other values. Their own rows may still be
 * missing, so nothing else would show that they do not match.
 */
export async function findTorn(store: Store, batch: WrittenBatch): Promise<InsertedMessage[]> {
  const bySession = new Map(
    [...batch.inserted].map(([{ labels }, own]) => [labels.sessionId, byId(own)]),
  );
  const torn = new Set<InsertedMessage>();
  for (const ids of idChunks([...bySession.keys()])) {
    const where = oneOf("session_id", ids);
    for await (const rows of store.table("parts").scan({ columns: checkedPartColumns, where })) {
      for (const row of rows) {
        const own = bySession.get(String(row["session_id"]))?.get(String(row["message_id"]));
        if (own && !holdsPart(batch, own, row)) torn.add(own);
      }
    }
  }
  return [...torn];
}

/**
 * The carriers that make the store show what was read, where existing rows hold another value or
 * are in another place. Corrects the counts of what was added.
 *
 * @param isIncluded - Tells for each session whether its rows are to be looked at.
 */
export async function reviseDiffering(
  store: Store,
  batch: WrittenBatch,
  isIncluded: (incoming: IncomingSession) => boolean,
): Promise<Columns> {
  const carriers = new Columns();
  const included = [...batch.inserted.keys()].filter(isIncluded);
  const incomingBySession = new Map(included.map((each) => [each.labels.sessionId, each]));
  for (const ids of idChunks([...incomingBySession.keys()])) {
    const stored = await storedMessages(store, ids);
    for (const id of ids) {
      const [incoming, rows] = [incomingBySession.get(id), stored.get(id)];
      if (!incoming || !rows) continue;
      discountExisting(incoming, batch, rows);
      await reviseSession(incoming, batch, liveMessages(rows), carriers);
    }
  }
  return carriers;
}

async function reviseSession(
  incoming: IncomingSession,
  batch: WrittenBatch,
  live: ReadonlyMap<string, LiveMessage>,
  carriers: Columns,
): Promise<void> {
  const { labels, outcome, hooks } = incoming;
  let isUnchanged: boolean | undefined;
  for (const inserted of batch.inserted.get(incoming) ?? []) {
    const { id, digest, ordinal } = inserted;
    const stored = live.get(id);
    if (stored === undefined) continue;
    const isSame = stored.digest === digest;
    if (isSame && stored.ordinal === ordinal) continue;
    // Checked after the stored rows were loaded: who stored a later state had read it before. A
    // torn message shows no state at all, so any state is better.
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

/** Sessions that were opened. */
export type Opened = Pick<WrittenBatch, "ingestedAt" | "inserted"> & {
  readonly opened: ReadonlyMap<IncomingSession, Session>;
  /**
   * True if another session of that id is not to be revised, because each has a name of its own.
   */
  readonly shouldQualifyIds: boolean;
};

/**
 * The carriers of sessions of which another process stored a different row in the meantime, whose
 * labels then stay; and the sessions whose id another session got, with that one's labels.
 */
export async function reviseOpened(
  store: Store,
  { opened, ingestedAt, inserted, shouldQualifyIds }: Opened,
): Promise<{ readonly carriers: Columns; readonly taken: Map<IncomingSession, Labels> }> {
  const carriers = new Columns();
  const taken = new Map<IncomingSession, Labels>();
  const own = new Map([...opened].map((each) => [each[1].id, each]));
  for (const ids of idChunks([...own.keys()])) {
    const where = oneOf("id", ids);
    const rows = await store.table("sessions").rows({ columns: sessionColumns, where });
    const messages = await storedMessages(store, ids);
    for (const stored of rows.map(sessionFromRow)) {
      const { id: sessionId, source_agent: sourceAgent, project } = stored;
      const found = own.get(sessionId);
      if (found === undefined) continue;
      const [incoming, read] = found;
      const { outcome, hooks, unresolved } = incoming;
      const labels = { sessionId, sourceAgent, project };
      if (
        shouldQualifyIds &&
        (await isIdConflict(store, incoming, startOf(stored), inserted.get(incoming)))
      ) {
        taken.set(incoming, labels);
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
        carriers.push(sessionRevisionRow(labels, state, session, ingestedAt));
        outcome.revisions += 1;
      } else outcome.deferred += 1;
    }
  }
  return { carriers, taken };
}

/** Rows that existed were not added by this ingest. */
function discountExisting(
  incoming: IncomingSession,
  { inserted, ingestedAt }: WrittenBatch,
  rows: readonly FoundMessage[],
): void {
  const ids = byId(inserted.get(incoming) ?? []);
  for (const row of rows) {
    const own = row.ingestedAt === ingestedAt ? undefined : ids.get(row.id);
    if (own === undefined) continue;
    incoming.outcome.messages_added -= 1;
    incoming.outcome.parts_added -= own.partCount;
  }
}

function holdsPart(
  batch: WrittenBatch,
  { partRow, partCount }: InsertedMessage,
  stored: Row,
): boolean {
  const position = Number(stored["ordinal"]);
  if (position >= partCount) return false;
  const own = batch.partOf(partRow + position);
  return checkedPartColumns.every((column) =>
    isSameCell(own[column] ?? null, stored[column] ?? null),
  );
}

function isSameCell(own: Cell, stored: Cell): boolean {
  return own instanceof Uint8Array && stored instanceof Uint8Array
    ? Buffer.compare(own, stored) === 0
    : own === stored;
}

function byId(own: readonly InsertedMessage[]): Map<string, InsertedMessage> {
  return new Map(own.map((each) => [each.id, each]));
}
