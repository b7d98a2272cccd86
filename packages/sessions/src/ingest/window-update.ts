import type { Store } from "@pond/substrate";
import type { Change } from "../revisions/reconcile.ts";
import type { PreparedMessage } from "../rows/prepare.ts";
import type { Labels } from "../rows/to-rows.ts";
import { appendedWindows } from "../search/appended-windows.ts";
import { sessionWindows } from "../search/session-windows.ts";
import { changedWindows } from "../search/window-rows.ts";
import { type Window, type WindowPiece, windowPiece } from "../search/windows.ts";
import { type SessionSnapshot, shownIn } from "./session-snapshot.ts";

/** What was written of a stored session. */
type WrittenChanges = {
  readonly changes: readonly Change[];
  /** The places of what was added or changed, by id. */
  readonly ordinals: ReadonlyMap<string, bigint>;
  /** Ids of everything that was read, in order. */
  readonly seen: ReadonlySet<string>;
  /** True if what was read is what is shown now; otherwise that holds only for what is new. */
  readonly isShown: boolean;
  /** True if these changes are not all: others were written before. */
  readonly isFlushed: boolean;
};

/** The windows of a stored session that is read again. */
export class WindowUpdate {
  readonly #store: Store;
  readonly #snapshot: SessionSnapshot;
  readonly #pieces: WindowPiece[] = [];
  /** False if some were added after later ones. */
  #isInOrder = true;
  /** Ids of stored messages that were read with another value. */
  readonly #differing: Set<string> = new Set();
  /** Ids of messages of which the store keeps more than was read. */
  readonly #kept: Set<string> = new Set();

  constructor(store: Store, snapshot: SessionSnapshot) {
    this.#store = store;
    this.#snapshot = snapshot;
  }

  /** Takes the next message that was read; `isStored` if what is stored of it stays as it is. */
  add(message: PreparedMessage, isStored: boolean): void {
    const piece = windowPiece(message);
    const { id, text, title, isBoundary } = piece;
    const isKept = isStored && message.isIncomplete === true;
    if (isKept) this.#kept.add(id);
    else if (text !== null || title !== undefined || isBoundary) this.#pieces.push(piece);
    if (!isStored) this.#differing.add(id);
  }

  /** Takes a message that comes before others that were taken. */
  addLate(message: PreparedMessage, isStored: boolean): void {
    this.add(message, isStored);
    this.#isInOrder = false;
  }

  /** The windows to write after the changes. */
  async windowsToWrite(labels: Labels, written: WrittenChanges): Promise<Window[]> {
    const { changes, ordinals, seen, isShown, isFlushed } = written;
    const { live, rows, tail, shown } = this.#snapshot;
    if (!this.#isInOrder) this.#sortBy(seen);
    if (!isFlushed && changes.every((each) => isAppended(each, tail))) {
      // The titles of a session that an earlier version stored have no windows yet.
      const added = this.#pieces.filter(({ id, title }) => ordinals.has(id) || title !== undefined);
      const pieceOf = this.#piecesAsStored(seen);
      const read = { added, pieceOf };
      const windows = await appendedWindows(this.#store, labels, this.#snapshot, read);
      if (windows !== undefined) return windows;
    }
    const windows = await sessionWindows(
      this.#store,
      labels,
      isShown ? this.#pieces : this.#pieces.filter(({ id }) => !rows.has(id)),
      (id) => ordinals.get(id) ?? live.get(id)?.ordinal ?? 0n,
      isShown ? shownIn(live).filter((id) => !seen.has(id) || this.#kept.has(id)) : shown,
    );
    return changedWindows(this.#store, labels, windows);
  }

  /** @param ids - Of everything that was read, in order. */
  #sortBy(ids: Iterable<string>): void {
    const places = new Map([...ids].map((id, place) => [id, place]));
    const placeOf = ({ id }: WindowPiece): number => places.get(id) ?? 0;
    this.#pieces.sort((left, right) => placeOf(left) - placeOf(right));
    this.#isInOrder = true;
  }

  #piecesAsStored(seen: ReadonlySet<string>): (id: string) => WindowPiece | null | undefined {
    const pieces = new Map(this.#pieces.map((piece) => [piece.id, piece]));
    return (id) => {
      const isAsStored = seen.has(id) && !this.#differing.has(id) && !this.#kept.has(id);
      return isAsStored ? (pieces.get(id) ?? null) : undefined;
    };
  }
}

/** True for a message that comes after all existing ones. */
function isAppended(change: Change, tail: bigint): boolean {
  return change.kind === "insert" && change.ordinal > tail;
}
