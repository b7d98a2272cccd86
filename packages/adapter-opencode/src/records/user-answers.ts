import { type CanonicalEvent, isJsonObject, type JsonValue, type Message } from "@pond/canonical";
import {
  type MessageInit,
  objectOf,
  type SourceRecord,
  sourceOf,
  suffixedId,
  userMessageInResult,
} from "@pond/canonical/adapter";
import type { Reading } from "./envelope.ts";

/** The message whose tools asked, or were refused. */
type AskingMessage = Pick<MessageInit, "id" | "timestamp"> & {
  readonly schema?: 2;
};

/**
 * What the user answered to a model's questions, chosen and typed alike, and what to do instead of
 * a call that they refused: a message after the one with the call. The client gives it to the model
 * as the answer of a tool, which stays as it is.
 */
export function readUserAnswers(
  texts: readonly string[],
  { id, timestamp, schema }: AskingMessage,
  record: SourceRecord,
  reading: Reading,
): CanonicalEvent[] {
  const source = { schema, continues: "answers" };
  const init = { id: suffixedId(id, "answers"), timestamp, source };
  return userMessageInResult(reading.session, init, texts, record);
}

/**
 * The answers in one part of a message, or why the user refused it; the part may not have been read
 * yet.
 */
export function answersIn(part: SourceRecord): string[] {
  if (part.peek("type") !== "tool") return [];
  const name = part.peek("tool") ?? part.peek("name");
  const state = objectOf(part.peek("state"));
  if (state["status"] === "error") return feedbackIn(state["error"]);
  if (name !== "question" || state["status"] !== "completed") return [];
  if (!isAnsweredNotice(state["output"] ?? state["content"])) return [];
  const { answers } = objectOf(state["metadata"] ?? state["structured"]);
  const texts = Array.isArray(answers) ? answers.flat() : [];
  return texts.filter((each) => typeof each === "string" && each !== "");
}

function feedbackIn(error: JsonValue | undefined): string[] {
  const errorText = isJsonObject(error) ? error["message"] : error;
  const [, feedback = ""] = typeof errorText === "string" ? (refusal.exec(errorText) ?? []) : [];
  return feedback === "" ? [] : [feedback];
}

/** Older ones have the name of an error in front. */
const refusal =
  /^(?:\w+: )?The user rejected permission to use this specific tool call with the following feedback: (.*)$/s;

/** A tool of another maker may have the same name. */
function isAnsweredNotice(given: JsonValue | undefined): boolean {
  const text = Array.isArray(given) ? objectOf(given[0])["text"] : given;
  return typeof text === "string" && text.startsWith("User has answered your questions: ");
}

/** True for answers that also stand in the message before them. */
export function isUserAnswers(message: Message): boolean {
  return sourceOf(message)["continues"] === "answers";
}
