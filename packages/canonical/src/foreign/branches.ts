import type { Message } from "../message.ts";
import type { Course } from "../seam/codec.ts";
import { courseWithout } from "./course.ts";
import { isDialogue } from "./speakers.ts";

/** Where a message stands in the tree of its log. */
export type TreePlace = {
  /** The index of its parent. */
  readonly parent: number | undefined;
  /**
   * Messages with the same value compete for one place; the one that was continued last is live.
   */
  readonly branchPoint: string | undefined;
};

/** What a client knows about its messages besides their places. */
export type BranchRules = {
  /** True for a message that a model is told. Default: for dialogue. */
  readonly isVisibleToModel?: (message: Message) => boolean;
  /** True for a message that no session continues from, wherever it stands. Default: for none. */
  readonly isDeadEnd?: (message: Message) => boolean;
};

/**
 * Separates the path to the newest message from branches that were abandoned for another. If that
 * path tells a model nothing, the newest branch with dialogue is live.
 *
 * @param places - One for each message, in the same order.
 */
export function withoutAbandonedBranches(
  messages: readonly Message[],
  places: readonly TreePlace[],
  { isVisibleToModel = isDialogue, isDeadEnd = () => false }: BranchRules = {},
): Course {
  const ages = messages.map((message, index) => (isDeadEnd(message) ? -1 : index));
  const course = courseWithout(messages, abandonedMessages(messages, places, ages));
  if (course.live.some(isVisibleToModel)) return course;
  const dialogueFirst = messages.map((message, index) =>
    isDialogue(message) ? index + messages.length : (ages[index] ?? index),
  );
  return courseWithout(messages, abandonedMessages(messages, places, dialogueFirst));
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
  for (const [index, { branchPoint }] of places.entries()) {
    const newest = newestByPlace.get(branchPoint) ?? -1;
    newestByPlace.set(branchPoint, Math.max(newest, newestBelow[index] ?? -1));
  }
  const abandoned = new Set<number>();
  for (const [index, { parent, branchPoint }] of places.entries()) {
    const isAbandoned =
      branchPoint !== undefined && newestByPlace.get(branchPoint) !== newestBelow[index];
    if (isAbandoned || (parent !== undefined && abandoned.has(parent))) abandoned.add(index);
  }
  return new Set(messages.filter((_, index) => abandoned.has(index)));
}
