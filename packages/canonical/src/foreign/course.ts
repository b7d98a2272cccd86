import type { Message } from "../message.ts";
import type { Course } from "../seam/codec.ts";

/** The course of a session in which these messages are undone. */
export function courseWithout(messages: readonly Message[], undone: ReadonlySet<Message>): Course {
  return {
    live: messages.filter((message) => !undone.has(message)),
    undone: messages.filter((message) => undone.has(message)),
  };
}

/**
 * The course in which the words of these messages are repeated in others of them, such as a tool's
 * result.
 */
export function courseWithoutDuplicates(
  messages: readonly Message[],
  isDuplicate: (message: Message) => boolean,
): Course {
  const duplicates = new Set(messages.filter(isDuplicate));
  return { ...courseWithout(messages, duplicates), duplicates };
}

/** Applies several rules in turn. Each rule gets what the rules before it left live. */
export function courseByRules(
  messages: readonly Message[],
  rules: readonly ((messages: readonly Message[]) => Course)[],
): Course {
  let live = messages;
  let undone: readonly Message[] = [];
  const duplicates = new Set<Message>();
  for (const rule of rules) {
    const course = rule(live);
    live = course.live;
    undone = [...undone, ...course.undone];
    for (const message of course.duplicates ?? []) duplicates.add(message);
  }
  return { live, undone, ...(duplicates.size > 0 && { duplicates }) };
}
