import type { IncomingMessage, LiveMessage } from "./reconcile.ts";

/** How much of a session is given, without gaps. */
export type Coverage =
  /** Everything that its source holds. */
  | "whole"
  /** Everything up to some message, after which more comes. */
  | "beginning"
  /** What comes after a message that has its place, up to another. */
  | "middle"
  /** Some of it, with possibly more before and after. */
  | "part";

/** True if nothing that the source holds comes before it. */
export function hasBeginning(coverage: Coverage): boolean {
  return coverage === "whole" || coverage === "beginning";
}

/** Room left between neighbours for records that a source may put there later. */
export const ordinalGap = 65_536n;

/** After everything that was ever there, so that appended messages come last. */
export function lastOrdinal(live: ReadonlyMap<string, LiveMessage>): bigint {
  let last = -ordinalGap;
  for (const { ordinal } of live.values()) if (ordinal > last) last = ordinal;
  return last;
}

/** The ordinal before a run of messages, and the distance between them. */
type Room = { readonly start: bigint; readonly step: bigint };

/** An ordinal for every position: fixed ones keep theirs, and the others go in between. */
export function assignOrdinals(
  incoming: readonly IncomingMessage[],
  fixedOrdinals: ReadonlyMap<number, bigint>,
  live: ReadonlyMap<string, LiveMessage>,
  coverage: Coverage,
): bigint[] {
  const count = incoming.length;
  const fixed = new Map(fixedOrdinals);
  const ordinals: bigint[] = [];
  const [first] = fixed.values();
  const canFollow = first !== undefined && !hasBeginning(coverage);
  let previous = canFollow ? ordinalBefore(live, first) : undefined;
  for (let position = 0; position < count; ) {
    const own = fixed.get(position);
    if (own !== undefined) {
      ordinals[position++] = previous = own;
      continue;
    }
    const next = endOfGap(fixed, position, previous, count);
    const end = fixed.get(next);
    const run = incoming.slice(position, next);
    const { start, step } =
      end === undefined
        ? roomAtEnd(run, previous, live, coverage)
        : roomBetween(previous, end, run.length);
    for (let index = 1; position < next; index++, position++) {
      ordinals[position] = previous = start + step * BigInt(index);
    }
  }
  return ordinals;
}

/**
 * Where the gap that begins at `position` ends: at the next fixed ordinal. If that leaves no room,
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
/**
 * How much of a gap a run takes that may not fill it: more may be missing after it, and in between.
 */
const shareOfGap = 32n;
const widestStep = 1024n;

function roomBetween(previous: bigint | undefined, end: bigint, count: number): Room {
  const steps = BigInt(count + 1);
  const start = previous ?? end - ordinalGap * steps;
  return { start, step: (end - start) / steps };
}

/** After everything that was ever there, unless some of that comes later in the source. */
function roomAtEnd(
  run: readonly IncomingMessage[],
  previous: bigint | undefined,
  live: ReadonlyMap<string, LiveMessage>,
  coverage: Coverage,
): Room {
  // A part of which nothing is stored may be anywhere, and most often came last.
  const isKnown = coverage === "beginning" || (coverage !== "whole" && previous !== undefined);
  const room = isKnown ? roomBeforeLater(run, previous, live, coverage) : undefined;
  if (room) return room;
  const last = lastOrdinal(live);
  return { start: previous !== undefined && previous > last ? previous : last, step: ordinalGap };
}

/**
 * Before the next message that is not older. An older one was there before the run, and the source
 * may have given it up. More may be missing after the run, so it takes little room.
 */
function roomBeforeLater(
  run: readonly IncomingMessage[],
  previous: bigint | undefined,
  live: ReadonlyMap<string, LiveMessage>,
  coverage: Coverage,
): Room | undefined {
  let newest = run[0]?.timestamp ?? 0n;
  for (const { timestamp } of run) if (timestamp > newest) newest = timestamp;
  const own = new Set(run.map(({ id }) => id));
  const later = [...live.values()].filter(
    ({ id, ordinal, timestamp }) =>
      !own.has(id) && timestamp >= newest && (previous === undefined || ordinal > previous),
  );
  // For something that may be the end of its session, equal times alone do not tell.
  if (coverage === "part" && later.every(({ timestamp }) => timestamp === newest)) return undefined;
  const end = firstOrdinal(later);
  if (end === undefined) return undefined;
  const start = ordinalBefore(live, end);
  if (start === undefined) return roomBetween(undefined, end, run.length);
  const steps = BigInt(run.length + 1);
  if (end - start < steps) return undefined;
  const step = (end - start) / (shareOfGap * steps);
  return { start, step: step < 1n ? 1n : step > widestStep ? widestStep : step };
}

function firstOrdinal(messages: readonly LiveMessage[]): bigint | undefined {
  let first: bigint | undefined;
  for (const { ordinal } of messages) if (first === undefined || ordinal < first) first = ordinal;
  return first;
}

/** The ordinal of the last message before an ordinal. */
function ordinalBefore(live: ReadonlyMap<string, LiveMessage>, end: bigint): bigint | undefined {
  let last: bigint | undefined;
  for (const { ordinal } of live.values()) {
    if (ordinal < end && (last === undefined || ordinal > last)) last = ordinal;
  }
  return last;
}
