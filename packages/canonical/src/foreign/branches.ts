import type { Message } from "../message.ts";
import type { Course } from "../seam/codec.ts";
import { without } from "./course.ts";
import { isTurn } from "./speakers.ts";

/** Where a message stands in the tree of its log. */
export type TreePlace = {
  /** The index of its parent. */
  readonly parent: number | undefined;
  /**
   * Messages with the same value compete for one place; the one that was continued last is live.
   */
  readonly competesFor: string | undefined;
};

/** What a client knows about its messages besides their places. */
export type BranchRules = {
  /** True for a message that a model is told. Default: for a turn. */
  readonly isTold?: (message: Message) => boolean;
  /** True for a message that no session continues from, wherever it stands. Default: for none. */
  readonly isAside?: (message: Message) => boolean;
};

/**
 * Separates the path to the newest message from branches that were abandoned for another. If that
 * path tells a model nothing, the newest branch that has a turn is live.
 *
 * @param places - One for each message, in the same order.
 */
export function withoutLeftBranches(
  messages: readonly Message[],
  places: readonly TreePlace[],
  { isTold = isTurn, isAside = () => false }: BranchRules = {},
): Course {
  const ages = messages.map((message, index) => (isAside(message) ? -1 : index));
  const course = without(messages, abandonedMessages(messages, places, ages));
  if (course.live.some(isTold)) return course;
  const turnsFirst = messages.map((message, index) =>
    isTurn(message) ? index + messages.length : (ages[index] ?? index),
  );
  return without(messages, abandonedMessages(messages, places, turnsFirst));
}

/** The messages that are not on the path to the newest one, where `ages` says how new each is. */
function abandonedMessages(
  messages: readonly Message[],
  places: readonly TreePlace[],
  ages: readonly number[],
): ReadonlySet<Message> {
  const newestBelow = [...ages];
  for (const [index, { parent }] of [...places.entries()].reverse()) {
    if (parent === undefined) continue;
    newestBelow[parent] = Math.max(newestBelow[parent] ?? -1, newestBelow[index] ?? -1);
  }
  const newestByPlace = new Map<string | undefined, number>();
  for (const [index, { competesFor }] of places.entries()) {
    const newest = newestByPlace.get(competesFor) ?? -1;
    newestByPlace.set(competesFor, Math.max(newest, newestBelow[index] ?? -1));
  }
  const abandoned = new Set<number>();
  for (const [index, { parent, competesFor }] of places.entries()) {
    const isAbandoned =
      competesFor !== undefined && newestByPlace.get(competesFor) !== newestBelow[index];
    if (isAbandoned || (parent !== undefined && abandoned.has(parent))) abandoned.add(index);
  }
  return new Set(messages.filter((_, index) => abandoned.has(index)));
}
