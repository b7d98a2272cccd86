import { type FaultEvent, type Part, type ReadEvent, recordCountOf } from "@pond/canonical";
import type { Reader, RecordCount } from "@pond/canonical/adapter";
import { type Fault, faultFromThrown, isTransient, maxFaultsPerSession, toFault } from "./fault.ts";

/** What was observed while one session was read. */
export type ReadNotes = {
  /** The id under which it is stored. */
  sessionId: string | undefined;
  messages: number;
  /** The time of the last message, in milliseconds. */
  newestMs: number;
  /** How many parts, and how many characters of text. */
  size: number;
  pending: number;
  readonly faults: Fault[];
  omittedFaults: number;
  /** How many of the faults nobody has to do anything about. */
  leftovers: number;
  /** True if something failed that may work next time although the file stays the same. */
  isWorthRetrying: boolean;
  /** True if its origin could not be looked up completely. */
  isUnresolved: boolean;
  /** How many source records the faults cost, and how many wait. */
  faultedRecords: number;
  pendingRecords: number;
  /**
   * True if the reader threw, or its file went away: what it had taken and not reported is lost.
   */
  isBrokenOff: boolean;
};

export function emptyNotes(): ReadNotes {
  return {
    sessionId: undefined,
    messages: 0,
    newestMs: 0,
    size: 0,
    pending: 0,
    faults: [],
    omittedFaults: 0,
    leftovers: 0,
    isWorthRetrying: false,
    isUnresolved: false,
    faultedRecords: 0,
    pendingRecords: 0,
    isBrokenOff: false,
  };
}

export type ObserveOptions = {
  readonly notes: ReadNotes;
  readonly count?: RecordCount;
  readonly onMessage?: () => void;
  readonly signal?: AbortSignal | undefined;
};

/**
 * The events of one session, with notes taken as they pass. What the reader throws becomes a fault
 * of this session: one broken file costs one file.
 */
export async function* observeRead(
  reader: Reader,
  key: string,
  { notes, count, onMessage, signal }: ObserveOptions,
): AsyncGenerator<ReadEvent> {
  const events = open(() => reader.read(key, signal, count));
  try {
    let last: ReadEvent | undefined;
    for (;;) {
      const next = await nextEvent(events, reader.origin, key, signal);
      if (next === undefined) {
        notes.isBrokenOff =
          last?.kind === "fault" && isTransient(last) && recordCountOf(last) === 0;
        return;
      }
      last = next.event;
      note(next.event, notes);
      if (next.event.kind === "message") onMessage?.();
      yield next.event;
      if (next.isLast) {
        notes.isWorthRetrying = true;
        notes.isBrokenOff = true;
        return;
      }
    }
  } finally {
    await events.return?.();
  }
}

/** A reader that throws before its first event counts as one that throws instead of it. */
function open(read: () => AsyncIterable<ReadEvent>): AsyncIterator<ReadEvent> {
  try {
    return read()[Symbol.asyncIterator]();
  } catch (error) {
    return { next: () => Promise.reject(error) };
  }
}

async function nextEvent(
  events: AsyncIterator<ReadEvent>,
  origin: string,
  key: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly event: ReadEvent; readonly isLast: boolean } | undefined> {
  try {
    const { done, value } = await events.next();
    if (done) return undefined;
    if (!kinds.has(value?.kind)) {
      throw new TypeError(
        "the adapter yields something that is not an event: this is a defect of it",
      );
    }
    return { event: value, isLast: false };
  } catch (error) {
    signal?.throwIfAborted();
    return { event: faultFromThrown(origin, key, error), isLast: true };
  }
}

const kinds: ReadonlySet<unknown> = new Set<ReadEvent["kind"]>([
  "session",
  "message",
  "part",
  "fault",
  "pending",
]);

function sizeOf(part: Part): number {
  return part.type === "text" || part.type === "reasoning" ? 1 + part.text.length : 1;
}

/**
 * Keeps the first hundred. Beyond these, faults that somebody has to act on take precedence over
 * others.
 */
function noteFault(event: FaultEvent, notes: ReadNotes): void {
  const { faults } = notes;
  if (faults.length === maxFaultsPerSession) {
    notes.omittedFaults += 1;
    const last = event.isLeftover ? -1 : faults.findLastIndex((each) => each.is_leftover);
    if (last < 0) return;
    faults.splice(last, 1);
  }
  faults.push(toFault(event));
}

function note(event: ReadEvent, notes: ReadNotes): void {
  switch (event.kind) {
    case "pending":
      notes.pending += 1;
      notes.pendingRecords += recordCountOf(event);
      return;
    case "fault":
      notes.faultedRecords += recordCountOf(event);
      if (event.isLeftover) notes.leftovers += 1;
      if (isTransient(event)) notes.isWorthRetrying = true;
      noteFault(event, notes);
      return;
    case "message":
      notes.messages += 1;
      notes.newestMs = Math.max(notes.newestMs, Number(event.message.timestamp / 1000n));
      return;
    case "part":
      notes.size += sizeOf(event.part);
      return;
    case "session":
      if (event.unresolved !== undefined) notes.isUnresolved = true;
      return;
  }
}
