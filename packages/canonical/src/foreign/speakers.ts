import type { Message } from "../message.ts";

/** True for what a human typed. */
export function isTypedByHuman(message: Message): boolean {
  return (
    message.role === "user" &&
    message.content.some(({ provenance }) => provenance === "conversational")
  );
}

/** True for what a human typed or a model said or called. */
export function isDialogue(message: Message): boolean {
  return isTypedByHuman(message) || (message.role === "assistant" && message.content.length > 0);
}
