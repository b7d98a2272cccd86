import type { Message } from "@pond/canonical";
import type { SessionContent } from "@pond/canonical/adapter";
import { ConflictError, IngestRefusedError, type Refusal } from "./errors.ts";
import type { SessionSink } from "./saver.ts";
import { countStored, type StoredPrefix, storedPrefix } from "./stored-prefix.ts";
import { messageEvents, sessionEvent, type WireEvent } from "./wire-events.ts";

/**
 * Stores events in a pond: `(events) => client.ingestAll(events)` of `@pond/client`, or the
 * handlers of `@pond/server` in this process.
 */
export type IngestEvents = (events: readonly WireEvent[]) => Promise<{
  readonly rejected: readonly Refusal[];
  readonly sessions: readonly { readonly revisions: number }[];
}>;

/** A request of pond's API takes twice as many, unless the server was configured otherwise. */
const maxEvents = 5_000;

/**
 * A sink that hands sessions to a pond. What the pond has confirmed is not sent again; sent twice,
 * it is stored once (`adapter-integrity-additive-sync`).
 *
 * Its `save` throws {@link IngestRefusedError} if the pond refuses some of it, and whatever
 * `ingest` throws. Either way, the next save sends it again. If another writer stored something
 * else for the session, this one's messages are stored all the same, beside those, and from then on
 * `save` throws {@link ConflictError}.
 */
export function pondSink(ingest: IngestEvents): SessionSink {
  const storedPrefixes = new Map<string, StoredPrefix>();
  /** First messages of the logs that are in conflict with another writer's. */
  const conflicting = new WeakSet<Message>();
  return {
    async save(content) {
      const { id } = content.session;
      const [head] = content.messages;
      const refused: Refusal[] = [];
      for (const batch of batchesOf(content, countStored(content, storedPrefixes.get(id)))) {
        const { rejected, sessions } = await ingest(batch.events);
        refused.push(...rejected);
        // A log only grows: a new value for a message that the pond had means that somebody else
        // stored that.
        if (head && sessions.some(({ revisions }) => revisions > 0)) conflicting.add(head);
        if (refused.length === 0) storedPrefixes.set(id, storedPrefix(content, batch.end));
      }
      if (refused.length > 0) throw new IngestRefusedError(id, refused);
      // Thrown once all of it is sent, because no other place has what was said.
      if (head && conflicting.has(head)) throw new ConflictError(id);
    },
  };
}

/** The events of one request, and the place after its last message. */
type Batch = { readonly events: readonly WireEvent[]; readonly end: number };

/** Cuts between messages, never inside one. */
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
