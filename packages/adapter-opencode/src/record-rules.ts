import {
  isJsonObject,
  type JsonObject,
  type Message,
  partsOf,
  type SystemMessage,
} from "@pond/canonical";
import {
  type Course,
  carriedRecord,
  objectAt,
  type RecordRules,
  type SessionContent,
  sourceOf,
} from "@pond/canonical/adapter";
import { courseByRules, courseWithoutDuplicates } from "@pond/canonical/foreign";
import { isUserAnswers } from "./records/user-answers.ts";

/** What the client's records mean to models of other clients. */
export const opencodeRecordRules: RecordRules = { course, contextText };

function course({ messages }: SessionContent): Course {
  return courseByRules(messages, [
    withoutDroppedIn2,
    withoutReverted,
    // A model hears them in the answer of the tool.
    (rest) => courseWithoutDuplicates(rest, isUserAnswers),
  ]);
}

/**
 * The text of a command that the user ran: in 1.x it is a tool call, in 2.x a record of its own.
 */
function contextText(message: SystemMessage): string {
  const record = carriedRecord(message) ?? {};
  const { type, command } = record;
  if (type !== "shell" || typeof command !== "string") return message.content;
  const { output } = objectAt(record, "output");
  const ran = `The user ran a command in a shell:\n${command}`;
  return typeof output === "string" && output !== "" ? `${ran}\nIt printed:\n${output}` : ran;
}

/** If 2.x took back turns of 1.x before it continued, its reader noted the first one. */
function withoutDroppedIn2(messages: readonly Message[]): Course {
  const [first] = messages.flatMap((message) => sourceOf(message)["continued.without"] ?? []);
  const from = messages.findIndex(({ id }) => id === first);
  if (from === -1) return { live: messages, undone: [] };
  const later = messages.findIndex(isVersion2);
  const to = later < from ? messages.length : later;
  return {
    live: [...messages.slice(0, from), ...messages.slice(to)],
    undone: messages.slice(from, to),
  };
}

/**
 * The client notes in the session from which message on, or from which part of it, it was reverted.
 */
function withoutReverted(messages: readonly Message[]): Course {
  const reverts = messages.map((message) => objectAt(sessionRecord(message), "revert"));
  const { messageID, partID } = reverts.find((revert) => revert["messageID"] !== undefined) ?? {};
  const from = messages.findIndex(({ id }) => id === messageID);
  const message = messages[from];
  if (message === undefined) return { live: messages, undone: [] };
  const { live, undone } =
    typeof partID === "string" ? cutAt(message, partID) : { live: [], undone: [message] };
  const isContinued = messages.some((each) => isJsonObject(sourceOf(each)["continued"]));
  // Side by side, turns of 1.x and of 2.x are taken back independently.
  const isReverted = (each: Message): boolean =>
    isContinued || isVersion2(each) === isVersion2(message);
  const later = messages.slice(from + 1);
  return {
    live: [...messages.slice(0, from), ...live, ...later.filter((each) => !isReverted(each))],
    undone: [...undone, ...later.filter(isReverted)],
  };
}

function isVersion2(message: Message): boolean {
  return sourceOf(message)["schema"] === 2;
}

/**
 * What the client keeps about a session; if it continued in 2.x, only what the client keeps there
 * counts.
 */
function sessionRecord(message: Message): JsonObject {
  const { continued } = sourceOf(message);
  return isJsonObject(continued) ? continued : (carriedRecord(message) ?? {});
}

/** The part of a message before the cut is not undone; a half without parts is left out. */
function cutAt(message: Message, partId: string): Course {
  const at = indexOfPart(message, partId);
  if (message.role === "system" || at === message.content.length) {
    return { live: [message], undone: [] };
  }
  if (at === 0) return { live: [], undone: [message] };
  const { content } = message;
  return {
    live: [withContent(message, content.slice(0, at))],
    undone: [withContent(message, content.slice(at))],
  };
}

/**
 * The index of the part that a record became, or of what follows a record that became none; after
 * the last one if the message has no such record.
 */
function indexOfPart(message: Message, partId: string): number {
  const source = sourceOf(message);
  const parts = partsOf(message);
  let position = 0;
  for (const [index, part] of parts.entries()) {
    // An answer belongs to the same record as its call.
    if (sourceOf(part)["follows"] === true) continue;
    for (; isJsonObject(source[`part.${position}`]); position++) {
      if (objectAt(source, `part.${position}`)["id"] === partId) return index;
    }
    if (part.id === partId) return index;
    position++;
  }
  return parts.length;
}

function withContent<M extends Exclude<Message, SystemMessage>>(
  message: M,
  content: M["content"],
): M {
  return { ...message, content };
}
