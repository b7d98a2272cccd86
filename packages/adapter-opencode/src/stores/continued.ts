import type { FaultEvent } from "@pond/canonical";
import type { StoredMessage, StoredSession } from "./stored.ts";

/**
 * A session of 1.x that went on in 2.x. The client copied its log there once, with losses, and
 * left the original where it was: that is the record, and of the copy only what came after it
 * counts, and what was changed of the session itself.
 */
export function continuedIn(first: StoredSession, second: StoredSession): StoredSession {
  const known = idsOf(first);
  const starts = new Set([...known].map((id) => id.slice(0, startLength)));
  const all = [...second.messages()];
  const lastCopy = all.findLastIndex(
    (event) => event.kind === "message" && isCopy(event, known, starts),
  );
  const later = all.slice(lastCopy + 1);
  if (later.length === 0 && !isEdited(first, second)) return first;
  const copies = all.slice(0, lastCopy + 1);
  const without = later.length === 0 ? undefined : firstWithout(copies, known);
  return {
    ...first,
    newestMs: Math.max(first.newestMs, second.newestMs),
    continued: { record: second.record, row: second.row, without },
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

/** The ids of a session's messages, in order. */
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

/** True where 2.x has another title, an archived time or a revert of its own: the copy has none. */
function isEdited({ record: first }: StoredSession, { record: second }: StoredSession): boolean {
  const title = second.peek("title");
  const archived = second.record("time")?.peek("archived");
  return (
    (title !== undefined && title !== first.peek("title")) ||
    (archived !== undefined && archived !== first.record("time")?.peek("archived")) ||
    second.peek("revert") !== undefined
  );
}

/**
 * The first message of 1.x that 2.x went on without: a revert there removes the end of the copy,
 * and with it the notice. Behind a notice the copy is whole, and 1.x itself went on. A database
 * that pond restored has no copy.
 */
function firstWithout(
  copies: readonly (StoredMessage | FaultEvent)[],
  known: ReadonlySet<string>,
): string | undefined {
  const messages = copies.filter((event) => event.kind === "message");
  const copied = new Set(messages.map(({ record }) => record.peek("id")));
  const hasNotice = messages.some(({ record }) => {
    return record.peek("type") === "system" && !known.has(String(record.peek("id")));
  });
  const ids = [...known];
  const lastCopied = ids.findLastIndex((id) => copied.has(id));
  return hasNotice || lastCopied === -1 ? undefined : ids[lastCopied + 1];
}
