import type { CanonicalEvent, JsonValue, Message } from "@pond/canonical";
import {
  objectOf,
  type SourceRecord,
  sourceOf,
  suffixedId,
  userMessageInResult,
} from "@pond/canonical/adapter";
import type { Envelope } from "./envelope.ts";
import type { Reading } from "./reading.ts";

/**
 * What a user typed to a model's questions, instead of or in addition to what they may pick: a
 * message after the tool's answer, which stays as it is. Not what was picked, because the client
 * picks if nobody does in time, and older versions do not say so.
 */
export function readTypedAnswers(
  texts: readonly string[],
  { id, timestamp }: Pick<Envelope, "id" | "timestamp">,
  record: SourceRecord,
  reading: Reading,
): CanonicalEvent[] {
  const init = { id: suffixedId(id, "said"), timestamp, source: { said: "in-result" } };
  return userMessageInResult(reading.session, init, texts, record);
}

/** The typed answers in a tool's result; it holds one question, or several in a list. */
export function typedAnswersIn(result: SourceRecord): string[] {
  if (result.peek("toolName") !== "ask") return [];
  const details = result.peek("details");
  const { results } = objectOf(details);
  const answers: readonly (JsonValue | undefined)[] = Array.isArray(results) ? results : [details];
  return answers.flatMap((answer) => {
    const { question, options, customInput, note } = objectOf(answer);
    // A tool of another maker may have the same name.
    if (typeof question !== "string" || !Array.isArray(options)) return [];
    return [customInput, note].flatMap((each) =>
      typeof each === "string" && each !== "" ? each : [],
    );
  });
}

/** True for answers that also stand in the result before them. */
export function isTypedAnswer(message: Message): boolean {
  return sourceOf(message)["said"] === "in-result";
}
