import type { Message } from "../message.ts";
import type { Course } from "../seam/codec.ts";

/** The course of a session in which these messages are undone. */
export function without(messages: readonly Message[], undone: ReadonlySet<Message>): Course {
  return {
    live: messages.filter((message) => !undone.has(message)),
    undone: messages.filter((message) => undone.has(message)),
  };
}

/**
 * The course in which the words of these messages are repeated in others of them, such as a tool's
 * result.
 */
export function withoutRetold(
  messages: readonly Message[],
  isRetold: (message: Message) => boolean,
): Course {
  const retold = new Set(messages.filter(isRetold));
  return { ...without(messages, retold), retold };
}

/** Applies several rules in turn. Each rule gets what the rules before it left live. */
export function inSteps(
  messages: readonly Message[],
  rules: readonly ((messages: readonly Message[]) => Course)[],
): Course {
  let live = messages;
  let undone: readonly Message[] = [];
  const retold = new Set<Message>();
  for (const rule of rules) {
    const course = rule(live);
    live = course.live;
    undone = [...undone, ...course.undone];
    for (const message of course.retold ?? []) retold.add(message);
  }
  return { live, undone, ...(retold.size > 0 && { retold }) };
}
