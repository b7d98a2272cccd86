import type { Message } from "@pond/canonical";
import type { SessionContent } from "@pond/canonical/adapter";
import { ConflictError, IngestRefusedError, type Refused } from "./errors.ts";
import { countKept, type KeptSoFar, keptSoFar } from "./kept-so-far.ts";
import type { SessionSink } from "./saver.ts";
import { messageEvents, sessionEvent, type WireEvent } from "./wire-events.ts";

/**
 * Stores events in a pond: `(events) => client.ingestAll(events)` of `@pond/client`, or the handlers
 * of `@pond/server` in this process.
 */
export type IngestEvents = (events: readonly WireEvent[]) => Promise<{
  readonly rejected: readonly Refused[];
  readonly sessions: readonly { readonly revisions: number }[];
}>;

/** A request of pond's API takes twice as many, unless it was told otherwise. */
const maxEvents = 5_000;

/**
 * A sink that hands sessions to a pond. What the pond said it has is not sent again; sent twice, it
 * is stored once (`adapter-integrity-additive-sync`).
 *
 * Its `save` throws {@link IngestRefusedError} where the pond refuses some of it, and what `ingest`
 * throws; either way the next save sends it again. Where another writer stored something else of the
 * session, it stores all the same, beside that, and throws {@link ConflictError}, from then on.
 */
export function pondSink(ingest: IngestEvents): SessionSink {
  const kept = new Map<string, KeptSoFar>();
  /** First messages of logs that another writer's is at odds with. */
  const conflicting = new WeakSet<Message>();
  return {
    async save(content) {
      const { id } = content.session;
      const [head] = content.messages;
      const refused: Refused[] = [];
      for (const batch of batchesOf(content, countKept(content, kept.get(id)))) {
        const { rejected, sessions } = await ingest(batch.events);
        refused.push(...rejected);
        // A log only grows: a new value of what the pond had means that somebody else stored that.
        if (head && sessions.some(({ revisions }) => revisions > 0)) conflicting.add(head);
        if (refused.length === 0) kept.set(id, keptSoFar(content, batch.end));
      }
      if (refused.length > 0) throw new IngestRefusedError(id, refused);
      // Told once all of it is sent: no other place has what was said.
      if (head && conflicting.has(head)) throw new ConflictError(id);
    },
  };
}

/** Events of one request, and the place behind its last message. */
type Batch = { readonly events: readonly WireEvent[]; readonly end: number };

/** Cut between messages, never inside one. */
function* batchesOf(content: SessionContent, start: number): Generator<Batch> {
  let events: WireEvent[] = [sessionEvent(content)];
  const messages: readonly Message[] = content.messages.slice(start);
  for (const [index, message] of messages.entries()) {
    events.push(...messageEvents(message));
    const isLast = index === messages.length - 1;
    if (events.length < maxEvents && !isLast) continue;
    yield { events, end: start + index + 1 };
    events = [sessionEvent(content)];
  }
}
