import { type CanonicalEvent, type JsonValue, type Message, tryParseObject } from "@pond/canonical";
import {
  messageEvent,
  objectAt,
  objectOf,
  openRecord,
  type SourceRecord,
  sourceOf,
  suffixedId,
} from "@pond/canonical/adapter";
import { partEvents } from "./content.ts";
import type { Envelope, Reading } from "./envelope.ts";
import { agentMark } from "./message.ts";
import { draftText } from "./text.ts";

/**
 * True for a call by which a model asks the user. A tool server may have a tool of that name, too.
 */
export function asksUser(call: SourceRecord): boolean {
  const namespace = call.peek("namespace");
  const isServers = typeof namespace === "string" && namespace.startsWith("mcp__");
  return call.peek("name") === "request_user_input" && !isServers;
}

/**
 * What the user answered to a model's questions, each with its notes. The client gives it to the
 * model as the output of the call, which stays as it is.
 */
export function readUserAnswers(
  { id, timestamp }: Envelope,
  record: SourceRecord,
  output: JsonValue | undefined,
  reading: Reading,
): CanonicalEvent[] {
  const texts = typeof output === "string" ? answersIn(output) : [];
  if (texts.length === 0) return [];
  const message = messageEvent(reading.session, "user", {
    id: suffixedId(id, "text"),
    timestamp,
    source: { author: agentMark(record, reading), continues: "answers" },
    records: 0,
  });
  const speaker = { author: reading.author, kind: "user.text" };
  const drafts = texts.flatMap(
    (text) =>
      draftText(openRecord(record.at, { text }), "text", speaker, {
        list: "text",
        block: undefined,
      }) ?? [],
  );
  return [message, ...partEvents(message, drafts)];
}

/** The client marks which of them are notes. */
const noteMark = /^user_note: /;

function answersIn(output: string): string[] {
  const answers = objectAt(tryParseObject(output) ?? {}, "answers");
  return Object.values(answers).flatMap((answer) => {
    const given = objectOf(answer)["answers"];
    const texts = Array.isArray(given) ? given.filter((each) => typeof each === "string") : [];
    return texts.map((text) => text.replace(noteMark, "")).filter((text) => text !== "");
  });
}

/** True for answers that also stand in the output before them. */
export function isUserAnswers(message: Message): boolean {
  return sourceOf(message)["continues"] === "answers";
}
