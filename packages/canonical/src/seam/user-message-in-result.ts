import type { MessageEvent, PartEvent, SessionEvent } from "../event.ts";
import { positionId } from "./derived.ts";
import { type MessageInit, messageEvent, textPart } from "./events.ts";
import { openRecord, type SourceRecord } from "./source-record.ts";

/**
 * Makes a user message of what a human said if the client gives it to the model inside a tool's
 * result, such as answers to questions. The message follows the one that keeps the result and
 * accounts for no record of its own.
 *
 * @param init - `id` is derived from the other message's, as by `suffixedId`. `source` tells the
 * codec that this is such a message, so that a restore leaves it out and the course tells it once.
 * @param texts - As the source has them, none of them empty. Without any there is no message.
 */
export function userMessageInResult(
  session: SessionEvent,
  init: Omit<MessageInit, "records">,
  texts: readonly string[],
  { at }: Pick<SourceRecord, "at">,
): (MessageEvent | PartEvent)[] {
  if (texts.length === 0) return [];
  const message = messageEvent(session, "user", { ...init, records: 0 });
  const parts = texts.map((raw, index) => {
    const text = openRecord(at, { raw }).requireString("raw");
    return textPart(message, { id: positionId(index), provenance: "conversational", text });
  });
  return [message, ...parts];
}
