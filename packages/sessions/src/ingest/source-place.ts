import { hash } from "node:crypto";
import { stringifyJson } from "@pond/canonical";

/** What the store showed of a session when a place of it was read. */
export type HeldMessages = {
  /** Digest of the ids of all messages. */
  readonly digest: string;
  /** When its newest row was added, in microseconds: later rows were added by others. */
  readonly addedAt: number;
  /** Ids of the messages that this place is not known to have held, if there are any. */
  readonly others?: readonly string[];
};

/** One of the places that a session is read from, on this machine or another. */
export type SourcePlace = {
  /**
   * `held` of the outcome when it was last read here, if nothing else holds the session now: only
   * what this place held, and no longer does, has disappeared. `all` if that was not noted then,
   * and everything shown counts as held.
   */
  readonly held: HeldMessages | "all" | undefined;
  /**
   * Up to when rows of the session were stored, in microseconds, when this place said what they
   * show; 0 if it never did. A read is an older copy if it goes less far than the store, or then no
   * further, and holds a value that was replaced since. Left out if unknown.
   */
  readonly agreedAt?: number | undefined;
  /**
   * True if it is read to be compared with what is stored. Then something that was never read here,
   * but was stored by this machine first, is an older copy only if it goes less far.
   */
  readonly isVerified?: boolean | undefined;
  /**
   * Called when the session was read. From a place where it goes less far than elsewhere, only
   * messages that are not stored are taken, because its values are older.
   */
  isNewest(): boolean;
};

/** For a session that is nowhere else: what it lacks of what is stored has disappeared. */
export const onlyPlace: SourcePlace = { held: "all", isNewest: () => true };

/** A digest that distinguishes sets of message ids. */
export function digestOfIds(ids: Iterable<string>): string {
  const digest = hash("sha256", stringifyJson([...new Set(ids)].sort()), "buffer");
  // Kept for each session that was read; a piece of a longer text would keep all of that text.
  return digest.toString("hex", 0, 16);
}

// A state file holds them; with more of them nothing is removed.
const maxOthers = 1_000;

/** What is shown of a session after it was read; undefined if too much belongs to other places. */
export function heldAfterRead(
  shown: Iterable<string>,
  others: ReadonlySet<string>,
  addedAt: number,
): HeldMessages | undefined {
  if (others.size > maxOthers) return undefined;
  const digest = digestOfIds(shown);
  return others.size === 0 ? { digest, addedAt } : { digest, addedAt, others: [...others] };
}
