import type { Message } from "@pond/canonical";
import type { SessionContent } from "@pond/canonical/adapter";

/** How much of a log is stored: up to this message, and everything before it. */
export type KeptSoFar = { readonly count: number; readonly last: WeakRef<Message> | undefined };

export function keptSoFar({ messages }: SessionContent, count: number): KeptSoFar {
  const last = messages[count - 1];
  return { count, last: last && new WeakRef(last) };
}

/**
 * How many messages of a session are certainly stored: only those of the very log that was stored
 * count. Several recorders may continue one session, and the log of one does not hold what another
 * said.
 */
export function countKept({ messages }: SessionContent, kept: KeptSoFar | undefined): number {
  if (kept === undefined) return 0;
  const last = kept.last?.deref();
  return last !== undefined && messages[kept.count - 1] === last ? kept.count : 0;
}
