import type { Message } from "@pond/canonical";
import type { SessionContent } from "@pond/canonical/adapter";

/** How much of a log is kept somewhere: up to which message, and so all before it. */
export type KeptSoFar = { readonly count: number; readonly last: WeakRef<Message> | undefined };

export function keptSoFar({ messages }: SessionContent, count: number): KeptSoFar {
  const last = messages[count - 1];
  return { count, last: last && new WeakRef(last) };
}

/**
 * How many messages of a session are kept for certain: those of the very log that was kept. Several
 * recorders may go on with one session, and what one of them said is not in the log of another.
 */
export function countKept({ messages }: SessionContent, kept: KeptSoFar | undefined): number {
  if (kept === undefined) return 0;
  const last = kept.last?.deref();
  return last !== undefined && messages[kept.count - 1] === last ? kept.count : 0;
}
