import type { ReadEvent } from "@pond/canonical";
import type { Reader } from "@pond/canonical/adapter";
import { type Fault, faultFromThrown, isPassing, maxFaultsPerSession, toFault } from "./fault.ts";

/** What came by while one session was read. */
export type ReadNotes = {
  pending: number;
  readonly faults: Fault[];
  omittedFaults: number;
  /** Something failed that may work next time though the file stays the same. */
  isWorthRetrying: boolean;
};

export function emptyNotes(): ReadNotes {
  return { pending: 0, faults: [], omittedFaults: 0, isWorthRetrying: false };
}

export type ObserveOptions = {
  readonly notes: ReadNotes;
  readonly onMessage?: () => void;
  readonly signal?: AbortSignal | undefined;
};

/**
 * The events of one session, noted down as they pass. What the reader throws becomes a fault of
 * this session: one broken file costs one file.
 */
export async function* observeRead(
  reader: Reader,
  key: string,
  { notes, onMessage, signal }: ObserveOptions,
): AsyncGenerator<ReadEvent> {
  const events = reader.read(key, signal)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await nextEvent(events, reader.origin, key, signal);
      if (next === undefined) return;
      note(next.event, notes);
      if (next.event.kind === "message") onMessage?.();
      yield next.event;
      if (next.isLast) {
        notes.isWorthRetrying = true;
        return;
      }
    }
  } finally {
    await events.return?.();
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
    return done ? undefined : { event: value, isLast: false };
  } catch (error) {
    signal?.throwIfAborted();
    return { event: faultFromThrown(origin, key, error), isLast: true };
  }
}

function note(event: ReadEvent, notes: ReadNotes): void {
  switch (event.kind) {
    case "pending":
      notes.pending += 1;
      return;
    case "fault":
      if (isPassing(event)) notes.isWorthRetrying = true;
      if (notes.faults.length < maxFaultsPerSession) notes.faults.push(toFault(event));
      else notes.omittedFaults += 1;
      return;
    case "session":
    case "message":
    case "part":
      return;
  }
}
