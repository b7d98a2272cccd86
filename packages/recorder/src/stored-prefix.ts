import type { Message } from "@pond/canonical";
import type { SessionContent } from "@pond/canonical/adapter";

/** How much of a log is stored: up to this message, and everything before it. */
export type StoredPrefix = { readonly count: number; readonly last: WeakRef<Message> | undefined };

export function storedPrefix({ messages }: SessionContent, count: number): StoredPrefix {
  const last = messages[count - 1];
  return { count, last: last && new WeakRef(last) };
}

/**
 * How many messages of a session are certainly stored: only those of the very log that was stored
 * count. Several recorders may continue one session, and the log of one does not hold what another
 * said.
 */
export function countStored(
  { messages }: SessionContent,
  prefix: StoredPrefix | undefined,
): number {
  if (prefix === undefined) return 0;
  const last = prefix.last?.deref();
  return last !== undefined && messages[prefix.count - 1] === last ? prefix.count : 0;
}
