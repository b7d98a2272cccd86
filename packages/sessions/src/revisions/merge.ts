import { comparePlaces, compareRevisions } from "./order.ts";
import {
  fixedOrdinals,
  type LiveMessage,
  liveMessages,
  reconcile,
  type StoredMessage,
  sessionItself,
} from "./reconcile.ts";
import { carrierRowId, isMendedRow } from "./revisions.ts";

// Revisions and ordinals count what one store saw, so those of two stores cannot be compared. Which
// of two states is later is known only if one store has seen both.

/** A stored row, and when it was stored, which a copy of it keeps. */
export type DatedMessage = StoredMessage & { readonly ingestedAt: bigint };

/** A row of another store, by its id there, and what it is to be here. */
export type AddedRow = Pick<StoredMessage, "id" | "ordinal" | "revision"> & {
  readonly from: string;
};

/** A message that has to make room for others, and where it goes. */
export type MovedMessage = {
  readonly previous: LiveMessage;
  readonly ordinal: bigint;
  readonly timestamp: bigint;
};

/** The rows of a session in another store that are to be added to one's own. */
export type Merge = {
  readonly added: readonly AddedRow[];
  readonly moves: readonly MovedMessage[];
  /** Ids of messages that stay as they are although the other store shows another state. */
  readonly differing: readonly string[];
};

/**
 * Merges the messages of a session that two stores hold. A message that both have gets a later
 * state only if the other store continued from the one that is shown here. New messages go before
 * the next message that both have, or after all others.
 *
 * @param isLeftOut - True for messages that are not to be added.
 */
export function mergeMessages(
  own: readonly DatedMessage[],
  others: readonly DatedMessage[],
  isLeftOut: (id: string) => boolean,
): Merge {
  const [stored, given] = [byId(own), byId(others)];
  const differing = others.flatMap(({ id, revises }) =>
    revises === null && isLeftOut(id) ? [id] : [],
  );
  // It holds only what was copied from there: with the rest, it is what that store shows.
  if (own.every((row) => isSameRow(row, given.get(row.id)))) {
    const added = others.flatMap((row) =>
      stored.has(row.id) || isLeftOut(row.revises ?? row.id) ? [] : [{ ...row, from: row.id }],
    );
    return { added, moves: [], differing };
  }
  const [known, states] = [statesOf(own), statesOf(others)];
  const isNew = ({ id, revises }: DatedMessage): boolean =>
    revises === null && !stored.has(id) && !isLeftOut(id);
  const { ordinals, moves } = placeNewMessages(own, others, isNew);
  const live = liveMessages(own);
  for (const { previous, ordinal } of moves) {
    const { id, digest, revision } = previous;
    const rowId = carrierRowId(previous, { digest, ordinal });
    live.set(id, { ...previous, ordinal, rowId, revision: revision + 1n });
  }
  const added: AddedRow[] = [];
  for (const [id, [first, ...later]] of states) {
    // Carriers of a missing message say nothing.
    if (first === undefined || first.revises !== null || isLeftOut(id)) continue;
    const previous = live.get(id);
    if (isNew(first)) {
      const ordinal = ordinals.get(id) ?? 0n;
      added.push({ from: id, id, ordinal, revision: 0n });
      added.push(...carriersAfter(later, { id, rowId: id, revision: 0n }, ordinal));
    } else if (previous) {
      const next = statesAfter(known.get(id) ?? [], [first, ...later]);
      if (next === undefined) differing.push(id);
      else added.push(...carriersAfter(next, previous, previous.ordinal));
    }
  }
  // What an interrupted copy left is there already.
  return { added: added.filter(({ id }) => !stored.has(id)), moves, differing };
}

/** What a store holds of a session besides its messages. */
export type DatedSession = {
  /** Digest of the session's own row; undefined if there is none. */
  readonly digest: string | undefined;
  readonly ingestedAt: bigint;
  /** Carriers with later states of it. */
  readonly carriers: readonly DatedMessage[];
};

/** The same for the carriers of what is said about the session itself. */
export function mergeSession(sessionId: string, own: DatedSession, others: DatedSession): Merge {
  const [known, states] = [sessionRows(sessionId, own), sessionRows(sessionId, others)];
  const [stored, given] = [byId(known), byId(states)];
  if (known.every((row) => isSameRow(row, given.get(row.id)))) {
    const added = others.carriers.filter(({ id }) => !stored.has(id));
    return { added: added.map((row) => ({ ...row, from: row.id })), moves: [], differing: [] };
  }
  const next = statesAfter(valuesOf(known), valuesOf(states));
  if (next === undefined) return { added: [], moves: [], differing: [sessionItself] };
  const { id: rowId = sessionId, revision = 0n } = known.at(-1) ?? {};
  const added = carriersAfter(next, { id: sessionItself, rowId, revision }, 0n);
  return { added, moves: [], differing: [] };
}

function sessionRows(id: string, session: DatedSession): readonly DatedMessage[] {
  const { digest, ingestedAt, carriers } = session;
  const later = carriers.toSorted(compareRevisions);
  if (digest === undefined) return later;
  const first = { id, digest, ingestedAt, ordinal: 0n, revision: 0n, timestamp: 0n };
  return [{ ...first, revises: null }, ...later];
}

/** The states in which each message was seen, its own row first; its places are not included. */
function statesOf(rows: readonly DatedMessage[]): Map<string, readonly DatedMessage[]> {
  const byMessage = Map.groupBy(rows, ({ id, revises }) => revises ?? id);
  const states = new Map<string, readonly DatedMessage[]>();
  for (const [id, own] of byMessage) states.set(id, valuesOf(own.toSorted(compareRevisions)));
  return states;
}

function valuesOf(rows: readonly DatedMessage[]): readonly DatedMessage[] {
  return rows.filter(
    ({ id, digest }, at) => at === 0 || digest !== rows[at - 1]?.digest || isMendedRow(id),
  );
}

/** What came after the last of the known states; undefined if nothing shows that it did. */
function statesAfter(
  known: readonly DatedMessage[],
  states: readonly DatedMessage[],
): readonly DatedMessage[] | undefined {
  const [last, newest] = [known.at(-1), states.at(-1)];
  if (last === undefined || newest === undefined || last.digest === newest.digest) return [];
  const copied = states.findLastIndex((state) => isSameState(state, last));
  if (copied >= 0) return states.slice(copied + 1);
  if (known.some(({ digest }) => digest === newest.digest)) return [];
  const seen = states.findLastIndex(({ digest }) => digest === last.digest);
  // A state that was seen here since then is a value that came back.
  if (seen < 0 || last.ingestedAt > newest.ingestedAt) return undefined;
  return states.slice(seen + 1);
}

/** Carriers in the form in which they follow another row. */
function carriersAfter(
  states: readonly DatedMessage[],
  { id: message, rowId, revision }: Pick<LiveMessage, "id" | "rowId" | "revision">,
  ordinal: bigint,
): AddedRow[] {
  let previous = { id: message, rowId };
  return states.map(({ id: from, digest }, at): AddedRow => {
    const id = carrierRowId(previous, { digest, ordinal, isMended: isMendedRow(from) });
    previous = { id: message, rowId: id };
    return { from, id, ordinal, revision: revision + BigInt(at) + 1n };
  });
}

/** Where new messages go, and which others have to make room for them. */
function placeNewMessages(
  own: readonly DatedMessage[],
  others: readonly DatedMessage[],
  isNew: (row: DatedMessage) => boolean,
): { readonly ordinals: ReadonlyMap<string, bigint>; readonly moves: readonly MovedMessage[] } {
  const ordinals = new Map<string, bigint>();
  const moves: MovedMessage[] = [];
  if (!others.some(isNew)) return { ordinals, moves };
  const live = liveMessages(own);
  const shown = orderedMessages(own).filter(({ id }) => live.get(id)?.digest !== null);
  const shownIds = new Set(shown.map(({ id }) => id));
  const given = orderedMessages(others);
  const common = new Map([...live].filter(([id]) => shownIds.has(id)));
  const neighbours = fixedOrdinals(common, given, "whole");
  let run: DatedMessage[] = [];
  const runs = new Map<string, readonly DatedMessage[]>();
  for (const [position, row] of given.entries()) {
    if (neighbours.has(position)) {
      runs.set(row.id, run);
      run = [];
    } else if (isNew(row)) run.push(row);
  }
  const merged = [...shown.flatMap((row) => [...(runs.get(row.id) ?? []), row]), ...run];
  const incoming = merged.map(({ id, digest, timestamp }) => ({
    id,
    digest: live.get(id)?.digest ?? digest ?? "",
    timestamp,
  }));
  for (const change of reconcile(live, incoming, { mayRemove: false, coverage: "whole" })) {
    const row = change.kind === "remove" ? undefined : merged[change.position];
    if (change.kind === "remove" || row === undefined) continue;
    if (!shownIds.has(row.id)) ordinals.set(row.id, change.ordinal);
    else if (change.kind === "move") {
      const { previous, ordinal } = change;
      moves.push({ previous, ordinal, timestamp: row.timestamp });
    }
  }
  return { ordinals, moves };
}

/** The messages with a row of their own, in the order of their places. */
function orderedMessages(rows: readonly DatedMessage[]): DatedMessage[] {
  const live = liveMessages(rows);
  const placed = rows.flatMap((row) => {
    const ordinal = live.get(row.id)?.ordinal;
    return row.revises !== null || ordinal === undefined ? [] : [{ ...row, ordinal }];
  });
  return placed.sort(comparePlaces);
}

function isSameRow(row: DatedMessage, other: DatedMessage | undefined): boolean {
  if (other === undefined || !isSameState(row, other)) return false;
  return row.ordinal === other.ordinal && row.revision === other.revision;
}

function isSameState(state: DatedMessage, other: DatedMessage): boolean {
  return state.digest === other.digest && state.ingestedAt === other.ingestedAt;
}

function byId(rows: readonly DatedMessage[]): Map<string, DatedMessage> {
  return new Map(rows.map((row) => [row.id, row]));
}
