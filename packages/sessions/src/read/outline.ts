import type { Session } from "@pond/canonical";
import { and, eq, oneOf, type Row, rowId, type Store } from "@pond/substrate";
import { SessionNotFoundError } from "../errors.ts";
import { comparePlaces, compareRevisions } from "../revisions/order.ts";
import { liveMessages, type StoredMessage, sessionItself } from "../revisions/reconcile.ts";
import { isMendedRow } from "../revisions/revisions.ts";
import { sessionFromCarrier } from "../revisions/session-revisions.ts";
import { storedColumns, storedMessage } from "../revisions/stored-messages.ts";
import { messageColumns, sessionColumns, sessionFromRow } from "../rows/from-rows.ts";
import { tornDigest } from "../rows/message-digest.ts";
import { ReadBudget, rowsWithin } from "./read-budget.ts";

/** Which state of messages that changed: as last seen in the source, or as first stored. */
export type StoredState = "first" | "last";

/** Where a message is in its session, without its content. */
export type MessagePlace = {
  readonly id: string;
  readonly ordinal: bigint;
  readonly timestamp: bigint;
  readonly role: string;
  /** True if its first value has a text to search. */
  readonly isSearchable: boolean;
  /** The row of its first value, see {@link rowId}. */
  readonly row: bigint;
  /** The newest carrier of it that holds a value, if there is one. */
  readonly carrierId: string | undefined;
};

/** Sessions as first stored, by id. */
async function loadSessions(
  store: Store,
  ids: readonly string[],
  budget: ReadBudget,
): Promise<Map<string, Session>> {
  // Without a limit, which the engine takes longer to plan than one row to read.
  const all = { columns: sessionColumns, where: oneOf("id", ids) };
  const rows = await rowsWithin(store.table("sessions"), all, budget);
  return new Map(rows.map((row) => [String(row["id"]), sessionFromRow(row)]));
}

const placeColumns = [...storedColumns, "role", "is_searchable", rowId];

/** Where the messages of a session are, in order: (ordinal, timestamp, id), newest places. */
export type MessagePlaces = {
  readonly places: readonly MessagePlace[];
  /** For messages that are no longer in the source: where they were last. */
  readonly removed: readonly MessagePlace[];
};

/** A session and where its messages are. */
export type Outline = MessagePlaces & { readonly session: Session };

/**
 * A session and its messages as they are now, or were at first.
 *
 * @throws {SessionNotFoundError}
 */
export async function loadOutline(store: Store, id: string, at: StoredState): Promise<Outline> {
  const [outline] = await loadOutlines(store, [id], at);
  if (outline === undefined) throw new SessionNotFoundError(id);
  return outline;
}

/**
 * The same for several sessions, in order.
 *
 * @throws {SessionNotFoundError}
 * @throws {OverBudgetError}
 */
export async function loadOutlines(
  store: Store,
  ids: readonly string[],
  at: StoredState,
  budget: ReadBudget = new ReadBudget(),
): Promise<Outline[]> {
  const [sessions, rows] = await Promise.all([
    loadSessions(store, ids, budget),
    placeRows(store, ids, at, budget),
  ]);
  return Promise.all(
    ids.map(async (id) => {
      const stored = sessions.get(id);
      if (stored === undefined) throw new SessionNotFoundError(id);
      const own = rows.get(id) ?? [];
      const carriers = carrierIds(own.map(storedMessage));
      const carrierId = carriers.get(sessionItself);
      const revised =
        carrierId === undefined ? undefined : await loadRevised(store, stored, carrierId);
      return { session: revised ?? stored, ...toPlaces(own, carriers) };
    }),
  );
}

/**
 * Only the places, of messages that are in the source now.
 *
 * @param isIncluded - Filters by row id: other rows count as if they did not exist.
 */
export async function loadPlaces(
  store: Store,
  sessionId: string,
  isIncluded: (id: string) => boolean = () => true,
): Promise<readonly MessagePlace[]> {
  const all = await placeRows(store, [sessionId], "last", new ReadBudget());
  const stored = all.get(sessionId) ?? [];
  const rows = stored.filter(({ id }) => isIncluded(String(id)));
  return toPlaces(rows, carrierIds(rows.map(storedMessage))).places;
}

/** By session. */
async function placeRows(
  store: Store,
  sessionIds: readonly string[],
  at: StoredState,
  budget: ReadBudget,
): Promise<Map<string, Row[]>> {
  const columns = ["session_id", ...placeColumns];
  const where = oneOf("session_id", sessionIds);
  const rows = await rowsWithin(store.table("messages"), { columns, where }, budget);
  const bySession = Map.groupBy(rows, (row) => String(row["session_id"]));
  if (at === "last") return bySession;
  return new Map([...bySession].map(([id, own]) => [id, firstRows(own)]));
}

/**
 * Rows without later states. A carrier stays if it holds the first value, because its message's own
 * rows hold none that anybody wrote: they belong to several states, or are damaged and mended.
 */
function firstRows(rows: readonly Row[]): Row[] {
  const byTarget = Map.groupBy(rows, ({ revises }) => revises ?? null);
  const own = byTarget.get(null) ?? [];
  return own.flatMap((row) => {
    const carriers = byTarget.get(row["id"] ?? null) ?? [];
    const digest = row["digest"] === tornDigest ? firstDigest(carriers) : row["digest"];
    const holders = carriers.filter((carrier) => carrier["digest"] === digest);
    return [row, ...holders.map((carrier) => ({ ...carrier, ordinal: row["ordinal"] ?? null }))];
  });
}

/** The digest of the first value that carriers of a message hold, if they hold one. */
function firstDigest(carriers: readonly Row[]): string | null | undefined {
  const held = carriers
    .map(storedMessage)
    .filter(({ digest }) => digest !== null && digest !== tornDigest);
  return held.sort(compareRevisions)[0]?.digest;
}

/** A session as one of its carriers says it is; undefined if there is no such carrier. */
export async function loadRevised(
  store: Store,
  stored: Session,
  carrierId: string,
): Promise<Session | undefined> {
  const where = and(eq("session_id", stored.id), eq("id", carrierId));
  const [row] = await store.table("messages").rows({ columns: messageColumns, where });
  return row && sessionFromCarrier(stored, row);
}

function toPlaces(rows: readonly Row[], carriers: ReadonlyMap<string, string>): MessagePlaces {
  const live = liveMessages(rows.map(storedMessage));
  const places: MessagePlace[] = [];
  const removed: MessagePlace[] = [];
  for (const row of rows) {
    const now = row["revises"] === null ? live.get(String(row["id"])) : undefined;
    if (now === undefined) continue;
    (now.digest === null ? removed : places).push({
      id: now.id,
      ordinal: now.ordinal,
      timestamp: BigInt(row["timestamp"] as bigint),
      role: String(row["role"]),
      isSearchable: Number(row["is_searchable"]) === 1,
      row: BigInt(row[rowId] as bigint),
      carrierId: carriers.get(now.id),
    });
  }
  return { places: places.sort(comparePlaces), removed: removed.sort(comparePlaces) };
}

/**
 * The carrier that holds the newest value of each message whose value is not its first one. A
 * carrier that only moves holds no value: the first one with its digest does, or the one that
 * mended it last.
 */
export function carrierIds(stored: readonly StoredMessage[]): Map<string, string> {
  const firstDigests = new Map<string, string | null>();
  const newest = new Map<string, StoredMessage>();
  const holders = new Map<string, StoredMessage>();
  for (const row of stored) {
    if (row.revises === null) {
      firstDigests.set(row.id, row.digest);
      continue;
    }
    if (row.digest === null) continue;
    const known = newest.get(row.revises);
    if (known === undefined || compareRevisions(row, known) > 0) newest.set(row.revises, row);
    const value = `${row.digest} ${row.revises}`;
    const holder = holders.get(value);
    if (holder === undefined || isHolder(row, holder)) holders.set(value, row);
  }
  const ids = new Map<string, string>();
  for (const [target, { digest }] of newest) {
    const holder = holders.get(`${digest} ${target}`);
    const isFirst = firstDigests.get(target) === digest;
    if (holder && (!isFirst || isMendedRow(holder.id))) ids.set(target, holder.id);
  }
  return ids;
}

/** True if a carrier, rather than another one, holds the value of a digest. */
function isHolder(row: StoredMessage, other: StoredMessage): boolean {
  if (isMendedRow(other.id)) return isMendedRow(row.id) && row.revision > other.revision;
  return isMendedRow(row.id) || row.revision < other.revision;
}
