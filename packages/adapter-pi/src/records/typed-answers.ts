import type { CanonicalEvent, JsonValue, Message } from "@pond/canonical";
import {
  objectOf,
  type SourceRecord,
  saidInResult,
  secondId,
  sourceOf,
} from "@pond/canonical/adapter";
import type { Envelope } from "./envelope.ts";
import type { Reading } from "./reading.ts";

/**
 * What a user typed to the questions of a model, in place of what they may pick and beside it: a
 * message behind the answer of the tool, which stays what it is. Not what was picked: where nobody
 * does in time the client picks, and older ones do not say so.
 */
export function readTypedAnswers(
  texts: readonly string[],
  { id, timestamp }: Pick<Envelope, "id" | "timestamp">,
  record: SourceRecord,
  reading: Reading,
): CanonicalEvent[] {
  const init = { id: secondId(id, "said"), timestamp, source: { said: "in-result" } };
  return saidInResult(reading.session, init, texts, record);
}

/** The typed answers in the result of a tool; one question stands in it, several in a list. */
export function typedIn(result: SourceRecord): string[] {
  if (result.peek("toolName") !== "ask") return [];
  const details = result.peek("details");
  const { results } = objectOf(details);
  const answers: readonly (JsonValue | undefined)[] = Array.isArray(results) ? results : [details];
  return answers.flatMap((answer) => {
    const { question, options, customInput, note } = objectOf(answer);
    // A tool of another maker may have the name, too.
    if (typeof question !== "string" || !Array.isArray(options)) return [];
    return [customInput, note].flatMap((each) =>
      typeof each === "string" && each !== "" ? each : [],
    );
  });
}

/** True for answers that stand in the result before them, too. */
export function isTypedAnswer(message: Message): boolean {
  return sourceOf(message)["said"] === "in-result";
}
