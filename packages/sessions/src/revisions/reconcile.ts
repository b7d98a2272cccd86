import { compareRevisions } from "./order.ts";
import { assignOrdinals, type Coverage, hasBeginning } from "./ordinals.ts";

/** A stored row of a session, as far as reconciling needs it. */
export type StoredMessage = {
  readonly id: string;
  readonly ordinal: bigint;
  readonly timestamp: bigint;
  /** Null in a tombstone. */
  readonly digest: string | null;
  /** Set in a carrier: the message of which it holds a later state. */
  readonly revises: string | null;
  readonly revision: bigint;
};

/** The present state of a message: its own row, or its newest carrier. */
export type LiveMessage = {
  readonly id: string;
  readonly ordinal: bigint;
  readonly timestamp: bigint;
  /** Null as long as a tombstone covers it. */
  readonly digest: string | null;
  readonly revision: bigint;
  /** Id of the row that says so. */
  readonly rowId: string;
};

export type IncomingMessage = {
  readonly id: string;
  readonly digest: string;
  readonly timestamp: bigint;
};

/** What has to be added so that the store shows what the source holds. */
export type Change =
  | { readonly kind: "insert"; readonly position: number; readonly ordinal: bigint }
  | {
      readonly kind: "revise" | "move";
      readonly position: number;
      readonly ordinal: bigint;
      readonly previous: LiveMessage;
    }
  | { readonly kind: "remove"; readonly previous: LiveMessage };

/** Stands for the session itself where a carrier names what it holds a later state of. */
export const sessionItself = "pond-revision:session";

/** The current state of each message of a session, with carriers applied. */
export function liveMessages(stored: readonly StoredMessage[]): Map<string, LiveMessage> {
  const live = new Map<string, LiveMessage>();
  for (const row of stored) {
    if (row.revises === sessionItself) continue;
    const id = row.revises ?? row.id;
    const known = live.get(id);
    if (known && compareRevisions(row, { ...known, id: known.rowId }) < 0) continue;
    const { ordinal, timestamp, digest, revision } = row;
    live.set(id, { id, ordinal, timestamp, digest, revision, rowId: row.id });
  }
  return live;
}

/**
 * What the store has to add to show exactly `incoming`, in its order. Nothing stored changes: a new
 * value, a new place and a disappearance each become a carrier (`lance-append-only`).
 */
export function reconcile(
  live: ReadonlyMap<string, LiveMessage>,
  incoming: readonly IncomingMessage[],
  { mayRemove, coverage }: { readonly mayRemove: boolean; readonly coverage: Coverage },
): Change[] {
  const fixed = fixedOrdinals(live, incoming, coverage);
  const ordinals = assignOrdinals(incoming, fixed, live, coverage);
  const changes: Change[] = [];
  for (const [position, { id, digest }] of incoming.entries()) {
    const previous = live.get(id);
    const ordinal = ordinals[position] ?? 0n;
    if (previous === undefined) changes.push({ kind: "insert", position, ordinal });
    else if (previous.digest !== digest)
      changes.push({ kind: "revise", position, ordinal, previous });
    else if (previous.ordinal !== ordinal)
      changes.push({ kind: "move", position, ordinal, previous });
  }
  if (mayRemove) {
    const ids = new Set(incoming.map(({ id }) => id));
    for (const previous of live.values()) {
      if (previous.digest !== null && !ids.has(previous.id))
        changes.push({ kind: "remove", previous });
    }
  }
  return changes;
}

/**
 * The messages that stay in place: the longest run of stored messages whose order is the source's.
 * If there may be more before it, the first of them stays: it is certain that the others come after
 * it.
 *
 * @returns Ordinals by position, the first position first.
 */
export function fixedOrdinals(
  live: ReadonlyMap<string, LiveMessage>,
  incoming: readonly Pick<IncomingMessage, "id">[],
  coverage: Coverage,
): Map<number, bigint> {
  const stored = incoming.flatMap(({ id }, position) => {
    const message = live.get(id);
    return message && message.digest !== null ? [{ position, ordinal: message.ordinal }] : [];
  });
  const [first] = stored;
  const placed =
    first === undefined || hasBeginning(coverage)
      ? stored
      : stored.filter((each) => each === first || each.ordinal > first.ordinal);
  // Patience sorting: `tails[n]` ends the best increasing run of length n + 1.
  const tails: number[] = [];
  const before: (number | undefined)[] = [];
  for (const [index, { ordinal }] of placed.entries()) {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const tail = placed[tails[middle] ?? 0];
      if (tail !== undefined && tail.ordinal < ordinal) low = middle + 1;
      else high = middle;
    }
    before[index] = tails[low - 1];
    tails[low] = index;
  }
  const fixed: [number, bigint][] = [];
  for (let index = tails.at(-1); index !== undefined; index = before[index]) {
    const message = placed[index];
    if (message) fixed.push([message.position, message.ordinal]);
  }
  return new Map(fixed.reverse());
}
