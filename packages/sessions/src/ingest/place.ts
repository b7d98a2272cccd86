import { hash } from "node:crypto";
import { stringifyJson } from "@pond/canonical";

/** What the store showed of a session when a place of it was read. */
export type HeldMessages = {
  /** Of the ids of all messages. */
  readonly digest: string;
  /** When the newest row of it was added, in microseconds: what came later, others added. */
  readonly addedAt: number;
  /** Ids of those that this place is not known to have held, where there are any. */
  readonly others?: readonly string[];
};

/** One of the places that a session is read from, beside others of the same machine or of another. */
export type Place = {
  /**
   * `held` of the outcome when it was read here the last time, where nothing else holds the session
   * now: only what this place held has disappeared where it no longer does. `all` where that was not
   * noted then, and all that is shown counts as held.
   */
  readonly held: HeldMessages | "all" | undefined;
  /**
   * Up to when rows of the session were stored, in microseconds, when this place said what they show;
   * 0 where it never did. What goes less far than the store, or then no further, and holds a value that
   * was replaced since, is an older copy. Left out where that is not known.
   */
  readonly agreedAt?: number | undefined;
  /**
   * True where it is read to be compared with what is stored. Then what was never read here, but was
   * stored by this machine first, is an older copy only where it goes less far.
   */
  readonly isVerified?: boolean | undefined;
  /**
   * Asked when the session was read. Of a place where it goes less far than elsewhere only messages
   * that are not stored are taken: its values are older.
   */
  isNewest(): boolean;
};

/** Of a session that is nowhere else: what it lacks of what is stored has disappeared. */
export const onlyPlace: Place = { held: "all", isNewest: () => true };

/** Tells one set of message ids from another. */
export function digestOfIds(ids: Iterable<string>): string {
  const digest = hash("sha256", stringifyJson([...new Set(ids)].sort()), "buffer");
  // Kept for each session that was read; a piece of a longer text would keep all of that.
  return digest.toString("hex", 0, 16);
}

// A state file holds them; with more of them nothing is removed.
const othersAtMost = 1_000;

/** What is shown of a session after it was read; undefined where too much is of other places. */
export function heldNow(
  shown: Iterable<string>,
  others: ReadonlySet<string>,
  addedAt: number,
): HeldMessages | undefined {
  if (others.size > othersAtMost) return undefined;
  const digest = digestOfIds(shown);
  return others.size === 0 ? { digest, addedAt } : { digest, addedAt, others: [...others] };
}
