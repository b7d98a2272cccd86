import { type CanonicalEvent, isJsonObject, type Message, tryParseObject } from "@pond/canonical";
import {
  type Extracted,
  messageEvent,
  openRecord,
  positionId,
  type SourceRecord,
  sourceOf,
  suffixedId,
  textPart,
} from "@pond/canonical/adapter";
import type { Reading } from "./reading.ts";

const sideQuestionFile = /^btw-history\/entry-[^/]+\.json$/;

/**
 * What a user asked beside the conversation (omp's `/btw`), and the answers: messages after that of
 * the file, which stays as it is. Empty for any other file.
 *
 * @param file - The id of the file's message.
 */
export function readSideQuestions(
  file: Extracted<string>,
  name: string,
  bytes: Uint8Array,
  reading: Reading,
): CanonicalEvent[] {
  if (!sideQuestionFile.test(name)) return [];
  const first = tryParseObject(Buffer.from(bytes).toString()) ?? {};
  const { followUps = [] } = first;
  const { source_agent: adapter, id: uri } = reading.session.session;
  const turns = [first, ...(Array.isArray(followUps) ? followUps.filter(isJsonObject) : [])];
  return turns.flatMap((fields, index) => {
    const turn = openRecord({ adapter, uri, record: name }, fields);
    const [asked, said] = [suffixedId(file, `asked.${index}`), suffixedId(file, `said.${index}`)];
    const question = { role: "user", id: asked, text: "question", time: "createdAt" } as const;
    const answer = { role: "assistant", id: said, text: "answer", time: "updatedAt" } as const;
    // An answer that is still being given would be stored half.
    const sides = turn.peek("status") === "running" ? [question] : [question, answer];
    return sides.flatMap((side) => readWords(turn, side, reading));
  });
}

/** One side of a turn; `text` and `time` are its fields. */
type Side = {
  readonly role: "user" | "assistant";
  readonly id: Extracted<string>;
  readonly text: string;
  readonly time: string;
};

function readWords(turn: SourceRecord, side: Side, reading: Reading): CanonicalEvent[] {
  const text = turn.peek(side.text) === "" ? undefined : turn.string(side.text);
  if (text === undefined) return [];
  const message = messageEvent(reading.session, side.role, {
    id: side.id,
    timestamp: turn.milliseconds(side.time) ?? reading.anchor,
    source: { said: "aside" },
    records: 0,
  });
  return [message, textPart(message, { id: positionId(0), provenance: "conversational", text })];
}

/** True for what was said beside the conversation, which its model does not hear. */
export function isAside(message: Message): boolean {
  return sourceOf(message)["said"] === "aside";
}
