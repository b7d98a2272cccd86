import type { MessageEvent, PartEvent, SessionEvent } from "../event.ts";
import { positionId } from "./derived.ts";
import { type MessageInit, messageEvent, textPart } from "./events.ts";
import { openRecord, type SourceRecord } from "./source-record.ts";

/**
 * What a human said that a client gives to the model in the result of a tool, as answers to
 * questions: a user's message of its own behind the one that keeps the result, and no record more.
 *
 * @param init - The `id` made of that message's, as by `secondId`; the `source` tells the codec that
 * it is one of these, so that a restore leaves it out and the course tells it once.
 * @param texts - As the source has them, none of them empty; without any there is no message.
 */
export function saidInResult(
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
