import type { Message } from "@pond/canonical";
import type { Store } from "@pond/substrate";
import { isDamage } from "../errors.ts";
import { loadMessages, type MessagePointer } from "../read/content.ts";

/**
 * The stored messages at these places, in order, for windows. Damaged ones are left out: they are
 * reported when the store is verified, and must not stop new messages from being stored.
 */
export async function readableMessages(
  store: Store,
  sessionId: string,
  places: readonly MessagePointer[],
): Promise<Message[]> {
  try {
    const placed = await loadMessages(store, sessionId, places);
    return placed.map(({ message }) => message);
  } catch (error) {
    if (!isDamage(error)) throw error;
    if (places.length === 1) return [];
  }
  const half = places.length >> 1;
  return [
    ...(await readableMessages(store, sessionId, places.slice(0, half))),
    ...(await readableMessages(store, sessionId, places.slice(half))),
  ];
}
