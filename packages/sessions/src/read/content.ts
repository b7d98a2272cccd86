import type { Message, SessionId } from "@pond/canonical";
import {
  and,
  eq,
  type Filter,
  isNull,
  oneOf,
  or,
  type Row,
  rowId,
  type Store,
} from "@pond/substrate";
import { MessageNotFoundError } from "../errors.ts";
import { compareRevisions } from "../revisions/order.ts";
import { messageColumns, messageFromCarrier, messageFromRow } from "../rows/from-rows.ts";
import { checkedColumns, isAsWritten } from "../rows/message-content.ts";
import type { MessagePlace } from "./outline.ts";
import { loadParts, type MessageParts, noParts, partsByMessage, rowsOfParts } from "./parts.ts";
import { ReadBudget, rowsWithin } from "./read-budget.ts";
import { maxIdsInFilter, withinSession } from "./within-session.ts";

export type PlacedMessage = {
  readonly message: Message;
  readonly isRevised: boolean;
  /** True if it has no part, although its digest says that it was written with some. */
  readonly isMissingParts?: true;
};

/** What is needed to find a message. */
export type MessagePointer = Pick<MessagePlace, "id" | "carrierId"> & {
  readonly row?: MessagePlace["row"] | undefined;
};

/** Called with a message whose digest says that it is not what was written. */
type OnDamaged = (messageId: string) => void;

/**
 * Whole messages at these places, in order.
 *
 * @throws {MessageNotFoundError}
 * @throws {OverBudgetError}
 */
export function loadMessages(
  store: Store,
  sessionId: string,
  places: readonly MessagePointer[],
  budget?: ReadBudget,
): Promise<PlacedMessage[]> {
  return loadPlaced(store, sessionId, places, new Map(), budget);
}

/**
 * Messages at these places that were never revised, without their parts.
 *
 * @throws {MessageNotFoundError}
 */
export async function loadWithoutParts(
  store: Store,
  sessionId: string,
  places: readonly MessagePointer[],
): Promise<Message[]> {
  if (places.length === 0) return [];
  const where = rowsAt(sessionId, places);
  const rows = await store.table("messages").rows({ columns: messageColumns, where });
  const byId = new Map(
    rows.filter((row) => row["session_id"] === sessionId).map((row) => [String(row["id"]), row]),
  );
  return places.map(({ id }) => {
    const row = byId.get(id);
    if (row === undefined) throw new MessageNotFoundError(sessionId, id);
    return messageFromRow(row, []);
  });
}

/**
 * Messages at these places as they are shown in short form: those never revised come without
 * options. Everything else in most of them is known already, or in their parts, so their own rows
 * are not read.
 */
export function loadShown(
  store: Store,
  sessionId: string,
  places: readonly MessagePlace[],
  budget?: ReadBudget,
): Promise<PlacedMessage[]> {
  const known = new Map<string, Row>();
  for (const { id, timestamp, role, carrierId } of places) {
    if (carrierId !== undefined || role === "system") continue;
    known.set(id, { id, session_id: sessionId, timestamp, role, options: "{}" });
  }
  return loadPlaced(store, sessionId, places, known, budget);
}

async function loadPlaced(
  store: Store,
  sessionId: string,
  places: readonly MessagePointer[],
  known: ReadonlyMap<string, Row>,
  budget: ReadBudget = new ReadBudget(),
): Promise<PlacedMessage[]> {
  if (places.length === 0) return [];
  const where = rowsAt(
    sessionId,
    places.filter(({ id }) => !known.has(id)),
  );
  const [rows, parts] = await Promise.all([
    rowsWithin(store.table("messages"), { columns: messageColumns, where }, budget),
    loadParts(store, sessionId, unrevisedIds(places), budget),
  ]);
  const own = rows.filter((row) => row["session_id"] === sessionId);
  return toPlaced(store, {
    sessionId,
    places,
    rows: [...own, ...known.values()],
    parts,
  });
}

/** Where the messages of a session are that are wanted. */
export type SessionPlaces = {
  readonly sessionId: SessionId;
  readonly places: readonly MessagePlace[];
};

/**
 * The messages of several sessions, each in order. Everything stored of these sessions is read at
 * once: for small ones a query costs more than what it finds.
 *
 * @throws {MessageNotFoundError}
 * @throws {OverBudgetError}
 */
export async function loadSessionMessages(
  store: Store,
  sessions: readonly SessionPlaces[],
  budget: ReadBudget,
  onDamaged?: (sessionId: SessionId) => void,
): Promise<PlacedMessage[][]> {
  const where = oneOf(
    "session_id",
    sessions.map(({ sessionId }) => sessionId),
  );
  const ownIds = new Map<string, ReadonlySet<string>>(
    sessions.map(({ sessionId, places }) => [sessionId, new Set(unrevisedIds(places))]),
  );
  const isWanted = (row: Row): boolean =>
    ownIds.get(sessionOf(row))?.has(String(row["message_id"])) === true;
  const columns = onDamaged ? checkedColumns : messageColumns;
  const ofMessages = { columns, where: and(where, shownCarriersOnly(sessions)) };
  const [messageRows, partRows] = await Promise.all([
    rowsWithin(store.table("messages"), ofMessages, budget),
    rowsOfParts(store, where, isWanted, budget),
  ]);
  const rows = Map.groupBy(messageRows, sessionOf);
  const parts = Map.groupBy(partRows, sessionOf);
  return Promise.all(
    sessions.map(({ sessionId, places }) =>
      toPlaced(store, {
        ...{ sessionId, places, rows: rows.get(sessionId) ?? [] },
        parts: partsByMessage(parts.get(sessionId) ?? []),
        onDamaged: onDamaged && (() => onDamaged(sessionId)),
      }),
    ),
  );
}

/**
 * A message that was revised often has many carriers, each with a whole value; the last is shown.
 */
function shownCarriersOnly(sessions: readonly SessionPlaces[]): Filter {
  const carrierIds = sessions.flatMap(({ places }) =>
    places.flatMap(({ carrierId }) => carrierId ?? []),
  );
  return carrierIds.length > maxIdsInFilter
    ? and()
    : or(isNull("revises"), oneOf("id", carrierIds));
}

/** Ids of messages whose own rows hold their value. */
function unrevisedIds(places: readonly MessagePointer[]): string[] {
  return places.flatMap(({ id, carrierId }) => (carrierId === undefined ? [id] : []));
}

type Loaded = {
  readonly sessionId: string;
  readonly places: readonly MessagePointer[];
  /** At least these rows of the session's messages and carriers. */
  readonly rows: readonly Row[];
  readonly parts: ReadonlyMap<string, MessageParts>;
  readonly onDamaged?: OnDamaged | undefined;
};

async function toPlaced(
  store: Store,
  { sessionId, places, rows, parts, onDamaged }: Loaded,
): Promise<PlacedMessage[]> {
  const byId = new Map(rows.map((row) => [String(row["id"]), row]));
  const messages: PlacedMessage[] = [];
  for (const { id, carrierId } of places) {
    const carrier = carrierId === undefined ? undefined : byId.get(carrierId);
    const revised = carrier && messageFromCarrier(carrier);
    const row = byId.get(id);
    const isGone = carrierId === undefined ? row === undefined : carrier === undefined;
    if (revised) messages.push({ message: revised, isRevised: true });
    // Nothing stored goes away: better no answer than one that leaves something out.
    else if (row === undefined || isGone) throw new MessageNotFoundError(sessionId, id);
    else if (carrier) messages.push(await newestValue(store, sessionId, row, onDamaged));
    else messages.push(ownValue(row, parts.get(id), onDamaged));
  }
  return messages;
}

/** The same messages, with a mark on those that have lost their parts. */
export async function markMissingParts(
  store: Store,
  sessionId: string,
  placed: readonly PlacedMessage[],
): Promise<PlacedMessage[]> {
  const empty = placed.flatMap(({ message: { id, role, content }, isRevised }) =>
    !isRevised && role !== "system" && content.length === 0 ? [id] : [],
  );
  if (empty.length === 0) return [...placed];
  const where = withinSession(sessionId, "id", empty);
  const rows = await store.table("messages").rows({ columns: checkedColumns, where });
  const wanted = new Set<string>(empty);
  const lost = rows.filter((row) => wanted.has(String(row["id"])) && !isAsWritten(row, []));
  const withoutParts = new Set(lost.map((row) => String(row["id"])));
  return placed.map((each) =>
    withoutParts.has(each.message.id) ? { ...each, isMissingParts: true } : each,
  );
}

/** The value in a message's own row and its parts. */
function ownValue(
  row: Row,
  { parts, rows }: MessageParts = noParts,
  onDamaged: OnDamaged | undefined,
): PlacedMessage {
  const message = messageFromRow(row, parts);
  if (onDamaged && !isAsWritten(row, rows)) onDamaged(message.id);
  return { message, isRevised: false };
}

/**
 * The newest existing value of a message whose carrier only says another place and whose value is
 * missing: copies between stores used to bring the one without the other.
 */
async function newestValue(
  store: Store,
  sessionId: string,
  row: Row,
  onDamaged: OnDamaged | undefined,
): Promise<PlacedMessage> {
  const id = String(row["id"]);
  const columns = [...messageColumns, "revision"];
  const where = and(eq("session_id", sessionId), eq("revises", id));
  const carriers = await store.table("messages").rows({ columns, where });
  const newestFirst = carriers.toSorted((left, right) =>
    compareRevisions(revisionOf(right), revisionOf(left)),
  );
  for (const carrier of newestFirst) {
    const message = messageFromCarrier(carrier);
    if (message) return { message, isRevised: true };
  }
  const parts = await loadParts(store, sessionId, [id]);
  return ownValue(row, parts.get(id), onDamaged);
}

function revisionOf(row: Row): { readonly revision: bigint; readonly id: string } {
  return { revision: BigInt(row["revision"] as bigint), id: String(row["id"]) };
}

/** At least the rows of these messages. By their numbers they are found in half of the time. */
function rowsAt(sessionId: string, places: readonly MessagePointer[]): Filter {
  const rows = places.flatMap(({ row, carrierId }) =>
    row === undefined || carrierId !== undefined ? [] : [row],
  );
  if (rows.length === places.length && rows.length <= maxIdsInFilter) return oneOf(rowId, rows);
  const ids = places.flatMap(({ id, carrierId }) => (carrierId ? [id, carrierId] : [id]));
  return withinSession(sessionId, "id", ids);
}

function sessionOf(row: Row): string {
  return String(row["session_id"]);
}
