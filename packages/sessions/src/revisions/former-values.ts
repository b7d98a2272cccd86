import type { Session } from "@pond/canonical";
import { compareRevisions } from "./order.ts";
import { sessionItself } from "./reconcile.ts";
import { sessionDigest } from "./session-revisions.ts";
import type { FoundMessage } from "./stored-messages.ts";

/**
 * When each former value of a message was last replaced, in microseconds, by message and by the
 * value's digest. The session itself counts as a message.
 */
export type FormerValues = ReadonlyMap<string, ReadonlyMap<string, number>>;

type Value = Pick<FoundMessage, "id" | "revises" | "revision" | "digest" | "ingestedAt">;

/**
 * Values that the rows of a session once held and no longer say, except for what a tombstone
 * covers.
 */
export function formerValues(stored: Session, rows: readonly FoundMessage[]): FormerValues {
  const revised = new Set(rows.map(({ revises }) => revises));
  const revisedRows = rows.filter(({ id, revises }) => revises !== null || revised.has(id));
  const byMessage = Map.groupBy<string, Value>(revisedRows, ({ id, revises }) => revises ?? id);
  const ofSession = byMessage.get(sessionItself);
  const digest = sessionDigest(stored);
  ofSession?.unshift({ id: stored.id, revises: null, revision: 0n, digest, ingestedAt: 0n });
  return new Map([...byMessage].map(([id, values]) => [id, formerOf(values)]));
}

function formerOf(values: readonly Value[]): Map<string, number> {
  const former = new Map<string, number>();
  const inOrder = values.toSorted(compareRevisions);
  const now = inOrder.at(-1)?.digest;
  if (now === undefined || now === null) return former;
  for (const [at, { digest }] of inOrder.entries()) {
    const next = inOrder[at + 1];
    if (next && digest !== null) former.set(digest, Number(next.ingestedAt));
  }
  former.delete(now);
  return former;
}
