import type { Message } from "../message.ts";
import type { Course } from "../seam/codec.ts";

/** The course of a session in which these messages are undone. */
export function without(messages: readonly Message[], undone: ReadonlySet<Message>): Course {
  return {
    live: messages.filter((message) => !undone.has(message)),
    undone: messages.filter((message) => undone.has(message)),
  };
}

/** The course by several rules, each of which parts what those before it left live. */
export function inSteps(
  messages: readonly Message[],
  rules: readonly ((messages: readonly Message[]) => Course)[],
): Course {
  let live = messages;
  let undone: readonly Message[] = [];
  for (const rule of rules) {
    const course = rule(live);
    live = course.live;
    undone = [...undone, ...course.undone];
  }
  return { live, undone };
}
