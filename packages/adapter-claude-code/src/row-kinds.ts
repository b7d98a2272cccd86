import { type Message, partsOf } from "@pond/canonical";
import { objectAt, sourceOf } from "@pond/canonical/adapter";
import { recordOf } from "./log-tree.ts";
import { isTypedInResult } from "./records/typed-in-result.ts";

/**
 * True for something given to a model; false for results, for what was said in them, and for a file
 * kept beside the session.
 */
export function isPrompt(message: Message): boolean {
  const isBeside = sourceOf(message)["sidecar"] !== undefined || isTypedInResult(message);
  return message.role === "user" && !isBeside;
}

export function isSpeech(message: Message): boolean {
  return message.role === "assistant" || isPrompt(message);
}

/** True for a row of type `user` or `assistant`; a queued prompt is in a row of another type. */
export function isTurnRow(message: Message): boolean {
  return message.role === "tool" || (isSpeech(message) && !isAttachment(message));
}

export function isAttachment(message: Message): boolean {
  return recordOf(message)["type"] === "attachment";
}

/** True for the summary that replaces everything a compaction took out. */
export function isSummary(message: Message): boolean {
  return partsOf(message).some((part) => sourceOf(part)["kind"] === "compact-summary");
}

/**
 * True for something that the client adds on its own, such as a prompt that was typed while tools
 * worked.
 */
export function isNote(message: Message): boolean {
  const isMeta = recordOf(message)["isMeta"] === true;
  return message.role === "system" || isMeta || isAttachment(message);
}

/**
 * The id of the answer that a row belongs to; the client writes a row for each block of an answer.
 */
export function answerOf(message: Message): string | undefined {
  const { id } = objectAt(recordOf(message), "message");
  return message.role === "assistant" && typeof id === "string" ? id : undefined;
}

/** True if a model said or called something; a thought alone is not an answer. */
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
