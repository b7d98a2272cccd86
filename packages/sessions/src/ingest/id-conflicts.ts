import { eq, oneOf, type Row, type Store } from "@pond/substrate";
import { isDamage } from "../errors.ts";
import { type LiveMessage, liveMessages, sessionItself } from "../revisions/reconcile.ts";
import { revisionRow, tombstoneRow } from "../revisions/revisions.ts";
import { storedColumns, storedMessage } from "../revisions/stored-messages.ts";
import { Columns } from "../rows/columns.ts";
import { idChunks } from "../rows/id-chunks.ts";
import type { Labels } from "../rows/to-rows.ts";
import { remakeWindows } from "../search/rebuild-windows.ts";
import { emptyForeignWindows } from "../search/window-rows.ts";
import type { IncomingSession, InsertedMessage } from "./incoming-session.ts";
import {
  hasDifferentStart,
  type SessionStart,
  sessionSharingMessages,
  startColumns,
  startFromRow,
} from "./reused-ids.ts";

// Two concurrent ingests may each think a session new, with one id for two different sessions. The
// one that stores the row of the session has the id; the other leaves its own for its next run,
// which gives it a name. Until then the rows of both are under that id, and the labels of each say
// whose it is: the session that has the id removes what it finds there, and the other one what it
// left after that. One that breaks off and never comes back keeps nobody waiting.

type InsertedBySession = ReadonlyMap<IncomingSession, readonly InsertedMessage[]>;

/** The labels by which rows say whose they are. */
export type Owner = Pick<Labels, "sourceAgent" | "project">;

/** What others have stored under the ids of sessions that were presumed new. */
export type IdConflicts = {
  /** Sessions whose id another session has, with that one's labels. */
  readonly taken: ReadonlyMap<IncomingSession, Labels>;
  /** For sessions that have not got as far as their own row: whose messages are there, too. */
  readonly unfinished: ReadonlyMap<IncomingSession, readonly Owner[]>;
};

export const noIdConflicts: IdConflicts = { taken: new Map(), unfinished: new Map() };

/**
 * Finds the id conflicts of sessions that were presumed new when these messages of them were read.
 */
export async function findIdConflicts(
  store: Store,
  presumedNew: Iterable<IncomingSession>,
  inserted: InsertedBySession,
): Promise<IdConflicts> {
  const bySession = new Map([...presumedNew].map((each) => [each.labels.sessionId, each]));
  const taken = new Map<IncomingSession, Labels>();
  const found = new Map<IncomingSession, Map<string, Owner>>();
  if (bySession.size === 0) return noIdConflicts;
  // Parts of the next batch may be on their way, so only these tables are looked at again.
  await Promise.all([store.table("sessions").refresh(), store.table("messages").refresh()]);
  for (const ids of idChunks([...bySession.keys()])) {
    for await (const { id, row } of rowsOf(store, "sessions", ids, startColumns)) {
      const own = bySession.get(id);
      if (own && (await isIdConflict(store, own, startFromRow(row), inserted.get(own)))) {
        taken.set(own, { ...own.labels, ...ownerOf(row) });
      }
    }
    // Its messages are there before the session itself is.
    for await (const { id, row } of rowsOf(store, "messages", ids, ownerColumns)) {
      const own = bySession.get(id);
      const owner = ownerOf(row);
      if (own === undefined || keyOf(owner) === keyOf(own.labels)) continue;
      found.set(own, (found.get(own) ?? new Map()).set(keyOf(owner), owner));
    }
  }
  const unfinished = new Map<IncomingSession, readonly Owner[]>();
  for (const [own, owners] of found) {
    if (taken.has(own)) continue;
    for (const key of own.copyOwners) owners.delete(key);
    const times = timesOf(inserted.get(own));
    const others = await foreignOwners(store, own.labels, [...owners.values()], times);
    // A later batch of a session may have none of the messages that an earlier one shared.
    for (const [key, owner] of owners) if (!others.includes(owner)) own.copyOwners.add(key);
    if (others.length > 0) unfinished.set(own, others);
  }
  return { taken, unfinished };
}

/**
 * The owners of messages under an id whose messages belong to another session, not to a copy, which
 * its client has in another project and which shares some messages.
 *
 * @param times - Of the messages of the session, by their ids.
 */
export async function foreignOwners(
  store: Store,
  { sessionId, sourceAgent }: Labels,
  owners: readonly Owner[],
  times: ReadonlyMap<string, bigint>,
): Promise<Owner[]> {
  const foreign: Owner[] = [];
  for (const owner of owners) {
    const isOfClient = owner.sourceAgent === sourceAgent;
    const projects = new Map([[sessionId, owner.project]]);
    const isCopy =
      isOfClient && (await sessionSharingMessages(store, projects, times)) !== undefined;
    if (!isCopy) foreign.push(owner);
  }
  return foreign;
}

/** True if what is stored under the id of a session is another one. */
export async function isIdConflict(
  store: Store,
  { labels, start }: IncomingSession,
  stored: SessionStart,
  inserted: readonly InsertedMessage[] | undefined,
): Promise<boolean> {
  if (stored.sourceAgent !== labels.sourceAgent) return true;
  if (start === undefined || !hasDifferentStart(start, stored)) return false;
  const projects = new Map([[labels.sessionId, stored.project]]);
  return (await sessionSharingMessages(store, projects, timesOf(inserted))) === undefined;
}

/**
 * Removes from a session what was stored in it by another one with its id: it stays stored, but is
 * not shown. A message that the session has, too, says so by a row of its own.
 *
 * @param isOfOther - Asked about messages that only the other session has said.
 */
export async function removeForeignMessages(
  store: Store,
  labels: Labels,
  other: Owner,
  ingestedAt: bigint,
  isOfOther: (message: LiveMessage) => boolean = () => true,
): Promise<void> {
  const carriers = new Columns();
  for (const { message, owners } of await messagesWithOwners(store, labels.sessionId)) {
    if (!owners.has(keyOf(other)) || owners.has(keyOf(labels))) continue;
    if (message.digest === null || message.id === sessionItself || !isOfOther(message)) continue;
    carriers.push(tombstoneRow(labels, message, message.timestamp, ingestedAt));
  }
  await store.table("messages").insert(carriers.batch());
  await remakeOwnWindows(store, labels);
}

/**
 * Makes the windows of a session anew if those of another one may be under its id. If its messages
 * cannot be read, which is no reason to stop, only the other session's windows are removed from
 * search.
 */
export async function remakeOwnWindows(store: Store, labels: Labels): Promise<void> {
  try {
    await remakeWindows(store, labels);
  } catch (error) {
    if (!isDamage(error)) throw error;
    await emptyForeignWindows(store, labels);
  }
}

/** A session that gets another name now. */
export type RenamedSession = {
  readonly labels: Owner;
  /** The labels of the sessions that have the ids it would otherwise have. */
  readonly bases: readonly Labels[];
  /** The times of its messages, by their ids. Called only if it left any. */
  readonly times: () => ReadonlyMap<string, bigint> | Promise<ReadonlyMap<string, bigint>>;
};

/**
 * Removes from sessions what others, which have other names now, left in them when both were
 * presumed new: their messages, and their windows.
 */
export async function removeLeftovers(
  store: Store,
  renamed: readonly RenamedSession[],
  ingestedAt: bigint,
): Promise<void> {
  const all = renamed.flatMap(({ bases }) => bases.map(({ sessionId }) => sessionId));
  const owners = await ownersIn(store, [...new Set(all)]);
  for (const { labels, bases, times } of renamed) {
    const left = bases.filter(({ sessionId }) => owners.get(sessionId)?.has(keyOf(labels)));
    if (left.length === 0) continue;
    const own = await times();
    const isOfOther = ({ id, timestamp }: LiveMessage): boolean => own.get(id) === timestamp;
    for (const base of left)
      await removeForeignMessages(store, base, labels, ingestedAt, isOfOther);
  }
}

/** The sessions that messages and windows say they belong to. */
async function ownersIn(
  store: Store,
  sessionIds: readonly string[],
): Promise<Map<string, Set<string>>> {
  const owners = new Map<string, Set<string>>();
  if (sessionIds.length === 0) return owners;
  for (const name of ["messages", "windows"] as const) {
    await store.table(name).refresh();
    for (const ids of idChunks(sessionIds)) {
      for await (const { id, row } of rowsOf(store, name, ids, ownerColumns)) {
        owners.set(id, (owners.get(id) ?? new Set()).add(keyOf(ownerOf(row))));
      }
    }
  }
  return owners;
}

/**
 * Records, for messages that are there as another session's, that this one has them, too, if both
 * say the same: otherwise they would be removed together with the other's.
 *
 * @param digests - Of its messages, by their ids.
 * @returns How many rows were added.
 */
export async function claimSharedMessages(
  store: Store,
  labels: Labels,
  digests: ReadonlyMap<string, string | null>,
  ingestedAt: bigint,
): Promise<number> {
  let added = 0;
  // Another session that says so at the same time may say it with the very same row.
  for (let isClaimed = false; !isClaimed; ) {
    const carriers = new Columns();
    for (const { message, owners } of await messagesWithOwners(store, labels.sessionId)) {
      const { digest, ordinal } = message;
      if (owners.has(keyOf(labels)) || digest === null) continue;
      if (digests.get(message.id) !== digest) continue;
      const { timestamp } = message;
      const state = { timestamp, ordinal, digest, message: undefined };
      carriers.push(revisionRow(labels, message, state, ingestedAt));
    }
    isClaimed = carriers.length === 0;
    if (!isClaimed) added += (await store.table("messages").insert(carriers.batch())).inserted;
  }
  return added;
}

/** What a session shows under an id, and whose rows say so. */
async function messagesWithOwners(
  store: Store,
  sessionId: string,
): Promise<{ readonly message: LiveMessage; readonly owners: ReadonlySet<string> }[]> {
  const table = store.table("messages");
  await table.refresh();
  const columns = [...storedColumns, ...ownerColumns];
  const rows = await table.rows({ columns, where: eq("session_id", sessionId) });
  const owners = new Map<string, Set<string>>();
  for (const row of rows) {
    const id = String(row["revises"] ?? row["id"]);
    owners.set(id, (owners.get(id) ?? new Set()).add(keyOf(ownerOf(row))));
  }
  return [...liveMessages(rows.map(storedMessage)).values()].map((message) => ({
    message,
    owners: owners.get(message.id) ?? new Set(),
  }));
}

/**
 * Sessions under whose ids others have left windows: windows come first, and messages may not
 * follow.
 */
export async function withForeignWindows(
  store: Store,
  opened: Iterable<IncomingSession>,
): Promise<IncomingSession[]> {
  const bySession = new Map([...opened].map((each) => [each.labels.sessionId, each]));
  const found = new Set<IncomingSession>();
  if (bySession.size > 0) await store.table("windows").refresh();
  for (const ids of idChunks([...bySession.keys()])) {
    for await (const { id, row } of rowsOf(store, "windows", ids, ownerColumns)) {
      const own = bySession.get(id);
      if (own && keyOf(ownerOf(row)) !== keyOf(own.labels)) found.add(own);
    }
  }
  return [...found];
}

async function* rowsOf(
  store: Store,
  name: "sessions" | "messages" | "windows",
  ids: readonly string[],
  columns: readonly string[],
): AsyncGenerator<{ readonly id: string; readonly row: Row }> {
  const key = name === "sessions" ? "id" : "session_id";
  const where = oneOf(key, ids);
  for await (const rows of store.table(name).scan({ columns: [key, ...columns], where })) {
    for (const row of rows) yield { id: String(row[key]), row };
  }
}

const ownerColumns = ["source_agent", "project"];

function ownerOf(row: Row): Owner {
  return { sourceAgent: String(row["source_agent"]), project: String(row["project"]) };
}

function keyOf({ sourceAgent, project }: Owner): string {
  return JSON.stringify([sourceAgent, project]);
}

/** The times of messages, by their ids. */
export function timesOf(inserted: readonly InsertedMessage[] = []): Map<string, bigint> {
  return new Map(inserted.map(({ id, timestamp }) => [id, timestamp]));
}
