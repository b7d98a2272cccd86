import type { Store } from "@pond/substrate";
import { loadPlaces } from "../read/outline.ts";
import type { Labels } from "../rows/to-rows.ts";
import { readableMessages } from "./readable-messages.ts";
import { pieceOfStored, type Window, type WindowPiece, windowsOf } from "./windows.ts";

/**
 * The windows of a stored session: over what was read, and over what the store keeps although the
 * source no longer has it, each in its place.
 *
 * @param retained - Ids of what the store keeps.
 */
export async function sessionWindows(
  store: Store,
  { sessionId }: Labels,
  read: readonly WindowPiece[],
  ordinalOf: (id: string) => bigint,
  retained: readonly string[],
): Promise<Window[]> {
  const kept = inOrder(await retainedPieces(store, sessionId, retained), ordinalOf);
  return windowsOf(kept.length === 0 ? read : merge(read, kept, ordinalOf));
}

async function retainedPieces(
  store: Store,
  sessionId: string,
  retained: readonly string[],
): Promise<WindowPiece[]> {
  if (retained.length === 0) return [];
  const ids = new Set(retained);
  const places = (await loadPlaces(store, sessionId)).filter(({ id }) => ids.has(id));
  return (await readableMessages(store, sessionId, places)).map(pieceOfStored);
}

/** Where they were stored may differ from where they are now. */
function inOrder(pieces: readonly WindowPiece[], ordinalOf: (id: string) => bigint): WindowPiece[] {
  return pieces.toSorted((left, right) => (ordinalOf(left.id) < ordinalOf(right.id) ? -1 : 1));
}

/** Both lists are in order already. */
function merge(
  read: readonly WindowPiece[],
  kept: readonly WindowPiece[],
  ordinalOf: (id: string) => bigint,
): WindowPiece[] {
  const merged: WindowPiece[] = [];
  let next = 0;
  for (const piece of read) {
    const ordinal = ordinalOf(piece.id);
    for (let other = kept[next]; other && ordinalOf(other.id) < ordinal; other = kept[++next]) {
      merged.push(other);
    }
    merged.push(piece);
  }
  return [...merged, ...kept.slice(next)];
}
