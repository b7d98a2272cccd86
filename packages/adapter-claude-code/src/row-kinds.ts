import { type Message, partsOf } from "@pond/canonical";
import { objectAt, sourceOf } from "@pond/canonical/adapter";
import { recordOf } from "./log-tree.ts";
import { isSaidInResult } from "./records/said-in-result.ts";

/**
 * True for what was given to a model; not for results and what was said in them, nor for a file kept
 * beside the session.
 */
export function isPrompt(message: Message): boolean {
  const isBeside = sourceOf(message)["sidecar"] !== undefined || isSaidInResult(message);
  return message.role === "user" && !isBeside;
}

export function isSpeech(message: Message): boolean {
  return message.role === "assistant" || isPrompt(message);
}

/** True for a row of type `user` or `assistant`: what was queued stands in one of another. */
export function isTurnRow(message: Message): boolean {
  return message.role === "tool" || (isSpeech(message) && !isAttachment(message));
}

export function isAttachment(message: Message): boolean {
  return recordOf(message)["type"] === "attachment";
}

/** True for what stands in place of all that a compaction took out. */
export function isSummary(message: Message): boolean {
  return partsOf(message).some((part) => sourceOf(part)["kind"] === "compact-summary");
}

/** True for what the client adds by itself, such as a prompt that was typed while tools worked. */
export function isNote(message: Message): boolean {
  const isMeta = recordOf(message)["isMeta"] === true;
  return message.role === "system" || isMeta || isAttachment(message);
}

/** The id of the answer that a row is of: the client writes one for each of its blocks. */
export function answerOf(message: Message): string | undefined {
  const { id } = objectAt(recordOf(message), "message");
  return message.role === "assistant" && typeof id === "string" ? id : undefined;
}

/** True where a model said or called something; to have thought alone is no answer. */
export function isAnswer(message: Message): boolean {
  return (
    message.role === "assistant" &&
    message.content.some(
      ({ provenance, type }) => provenance === "conversational" && type !== "reasoning",
    )
  );
}

export function isCall(message: Message): boolean {
  return message.role === "assistant" && message.content.some(({ type }) => type === "tool_call");
}
