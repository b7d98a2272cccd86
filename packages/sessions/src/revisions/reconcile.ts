/** A stored row of a session, as far as reconciling needs it. */
export type StoredMessage = {
  readonly id: string;
  readonly ordinal: bigint;
  /** Null in a tombstone. */
  readonly digest: string | null;
  /** Set in a carrier: the message it holds a later state of. */
  readonly revises: string | null;
  readonly revision: bigint;
};

/** Where a message stands now: its own row, or its newest carrier. */
export type LiveMessage = {
  readonly id: string;
  readonly ordinal: bigint;
  /** Null while a tombstone covers it. */
  readonly digest: string | null;
  readonly revision: bigint;
  /** Id of the row that says so. */
  readonly rowId: string;
};

export type Incoming = { readonly id: string; readonly digest: string };

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

/** Room left between neighbours for records a source may put there later. */
export const ordinalGap = 65_536n;

/** Stands for the session itself where a carrier names what it holds a later state of. */
export const sessionItself = "pond-revision:session";

/** The current state of each message of a session, carriers applied. */
export function liveMessages(stored: readonly StoredMessage[]): Map<string, LiveMessage> {
  const live = new Map<string, LiveMessage>();
  for (const row of stored) {
    if (row.revises === sessionItself) continue;
    const id = row.revises ?? row.id;
    const known = live.get(id);
    // Equal revisions come from writers that raced; the row id decides, for all readers alike.
    const isOlder =
      known !== undefined &&
      (known.revision > row.revision || (known.revision === row.revision && known.rowId > row.id));
    if (isOlder) continue;
    const { ordinal, digest, revision } = row;
    live.set(id, { id, ordinal, digest, revision, rowId: row.id });
  }
  return live;
}

/**
 * What the store must add to show exactly `incoming`, in its order. Nothing stored changes: a new
 * value, a new place and a disappearance each become a carrier (`lance-append-only`).
 */
export function reconcile(
  live: ReadonlyMap<string, LiveMessage>,
  incoming: readonly Incoming[],
  { mayRemove }: { readonly mayRemove: boolean },
): Change[] {
  const fixed = inOrder(live, incoming);
  const ordinals = placeBetween(incoming.length, fixed, lastOrdinal(live));
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

/** What stays where it is: the longest run of stored messages whose order is the source's. */
export function inOrder(
  live: ReadonlyMap<string, LiveMessage>,
  incoming: readonly Incoming[],
): Map<number, bigint> {
  const placed = incoming.flatMap(({ id }, position) => {
    const message = live.get(id);
    return message && message.digest !== null ? [{ position, ordinal: message.ordinal }] : [];
  });
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
  const fixed = new Map<number, bigint>();
  for (let index = tails.at(-1); index !== undefined; index = before[index]) {
    const message = placed[index];
    if (message) fixed.set(message.position, message.ordinal);
  }
  return fixed;
}

/** Past everything that was ever there, so that what is appended comes after it. */
export function lastOrdinal(live: ReadonlyMap<string, LiveMessage>): bigint {
  let last = -ordinalGap;
  for (const { ordinal } of live.values()) if (ordinal > last) last = ordinal;
  return last;
}

/** An ordinal for every position: the fixed ones keep theirs, the others go in between. */
function placeBetween(
  count: number,
  fixedAt: ReadonlyMap<number, bigint>,
  lastStored: bigint,
): bigint[] {
  const fixed = new Map(fixedAt);
  const ordinals: bigint[] = [];
  let previous: bigint | undefined;
  for (let position = 0; position < count; ) {
    const own = fixed.get(position);
    if (own !== undefined) {
      ordinals[position++] = previous = own;
      continue;
    }
    const next = endOfGap(fixed, position, previous, count);
    const end = fixed.get(next);
    const start = startOf(previous, end, next - position, lastStored);
    const step = end === undefined ? ordinalGap : (end - start) / BigInt(next - position + 1);
    for (let index = 1; position < next; index++, position++) {
      ordinals[position] = previous = start + step * BigInt(index);
    }
  }
  return ordinals;
}

/**
 * Where the gap that begins at `position` ends: at the next fixed one. Where that leaves no room,
 * fixed ones give up their places, and enough of them that the next insertion finds some.
 */
function endOfGap(
  fixed: Map<number, bigint>,
  position: number,
  previous: bigint | undefined,
  count: number,
): number {
  let end = position;
  const hasRoom = (each: number): boolean => {
    const ordinal = fixed.get(end);
    if (ordinal === undefined || previous === undefined) return true;
    return ordinal - previous > BigInt((end - position) * each);
  };
  const findEnd = (): void => {
    while (end < count && !fixed.has(end)) end++;
  };
  findEnd();
  if (hasRoom(1)) return end;
  while (!hasRoom(roomToMake)) {
    fixed.delete(end);
    findEnd();
  }
  return end;
}

const roomToMake = 1024;

function startOf(
  previous: bigint | undefined,
  end: bigint | undefined,
  count: number,
  lastStored: bigint,
): bigint {
  if (end === undefined)
    return previous !== undefined && previous > lastStored ? previous : lastStored;
  return previous ?? end - ordinalGap * BigInt(count + 1);
}
