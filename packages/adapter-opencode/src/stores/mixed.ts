import type { FaultEvent } from "@pond/canonical";
import type { StoredMessage, StoredSession } from "./stored.ts";

/**
 * A session of 1.x with what its client said in it through the API of 2.x: late releases keep these
 * turns in a table of their own, beside one record of the session. Neither is a copy of the other.
 */
export function mixSessions(first: StoredSession, second: StoredSession): StoredSession {
  const others = [...second.messages()];
  if (others.length === 0) return first;
  return {
    ...first,
    newestMs: Math.max(first.newestMs, second.newestMs),
    isMixed: true,
    messages: function* (count) {
      for (const event of others) count?.add(event.records ?? 1);
      yield* mergeByTime(first.messages(count), others);
    },
  };
}

type Event = StoredMessage | FaultEvent;

/** The messages of both, by the time at which they were made; each keeps its own order. */
export function* mergeByTime(first: Iterable<Event>, second: Iterable<Event>): Generator<Event> {
  const waiting = [...second];
  for (const event of first) {
    const ms = createdMs(event);
    const later = waiting.findIndex((each) => createdMs(each) >= ms);
    yield* waiting.splice(0, later < 0 ? waiting.length : later);
    yield event;
  }
  yield* waiting;
}

/** A message without a time comes as early as possible. */
function createdMs(event: Event): number {
  const created =
    event.kind === "message" ? event.record.record("time")?.peek("created") : undefined;
  return typeof created === "number" ? created : 0;
}
