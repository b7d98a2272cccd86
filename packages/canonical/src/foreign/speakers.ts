import type { Message } from "../message.ts";

/** True for what a human typed. */
export function isTyped(message: Message): boolean {
  return (
    message.role === "user" &&
    message.content.some(({ provenance }) => provenance === "conversational")
  );
}

/** True for what a human typed or a model said or called. */
export function isTurn(message: Message): boolean {
  return isTyped(message) || (message.role === "assistant" && message.content.length > 0);
}
