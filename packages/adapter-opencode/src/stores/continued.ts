import type { StoredMessage, StoredSession } from "./stored.ts";

/**
 * A session of 1.x that went on in 2.x. The client copied its log there once, with losses, and
 * left the original where it was: that is the record, and of the copy only what came after it
 * counts.
 */
export function continuedIn(first: StoredSession, second: StoredSession): StoredSession {
  const known = idsOf(first);
  const starts = new Set([...known].map((id) => id.slice(0, startLength)));
  const all = [...second.messages()];
  const lastCopy = all.findLastIndex(
    (event) => event.kind === "message" && isCopy(event, known, starts),
  );
  const later = all.slice(lastCopy + 1);
  if (later.length === 0) return first;
  return {
    ...first,
    newestMs: Math.max(first.newestMs, second.newestMs),
    continued: { record: second.record, row: second.row },
    faults: [...(first.faults ?? []), ...(second.faults ?? [])],
    messages: function* (count) {
      yield* first.messages(count);
      for (const event of later) {
        count?.add(event.records ?? 1);
        yield event;
      }
    },
  };
}

function idsOf(session: StoredSession): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const event of session.messages()) {
    const isWhole = event.kind === "message" && !event.isCut;
    const id = isWhole ? event.record.peek("id") : undefined;
    if (typeof id === "string") ids.add(id);
  }
  return ids;
}

// What the client made besides is named by the start of a message's id and a hash.
const startLength = 16;

/** True for what the client made of a message of 1.x, and for the notice it put behind the log. */
function isCopy(
  { record }: StoredMessage,
  known: ReadonlySet<string>,
  starts: ReadonlySet<string>,
): boolean {
  const id = record.peek("id");
  if (typeof id !== "string") return false;
  return known.has(id) || starts.has(id.slice(0, startLength));
}
