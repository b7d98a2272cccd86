import type { JsonObject, JsonValue } from "@pond/canonical";
import { isJsonObject } from "@pond/canonical";
import type { RestoredMessage } from "../records/message.ts";
import { addMissing, type WithAdded } from "../stores/added.ts";
import type { RestoredSession } from "./restored-session.ts";

/** A session's record, and the names of the fields that were added: to it, and to its summary. */
export type ImportableSession = WithAdded & { readonly addedToSummary: readonly string[] };

/**
 * A session's record with the fields that an import needs and older releases did not write: their
 * values are those that the client's own conversion and its database produce.
 */
export function importableSession({ record, project }: RestoredSession): ImportableSession {
  const { summary } = record;
  const fields = { slug: "", title: "", version: "", directory: project };
  if (!isJsonObject(summary)) return { ...addMissing(record, fields), addedToSummary: [] };
  const counted = addMissing(summary, { additions: 0, deletions: 0, files: 0 });
  const whole = addMissing({ ...record, summary: counted.record }, fields);
  return { ...whole, addedToSummary: counted.added };
}

/**
 * The place in a message where something was added, and the names of the fields: `.1.state` is that
 * of its second part.
 */
type Added = readonly [place: string, names: readonly string[]];

/** A message with the fields that an import needs, and what was added. */
export type ImportableMessage = {
  readonly message: RestoredMessage;
  readonly added: readonly Added[];
};

/**
 * Messages with the fields that releases up to 1.0 did not write, taken from the session itself. A
 * prompt was for the agent and model that answer it, or that answered before; an answer refers to
 * the prompt before it. If nothing says the value, the field stays missing, and an import stops
 * there.
 */
export function* importableMessages(
  messages: Iterable<RestoredMessage>,
): Generator<ImportableMessage> {
  // From a prompt on, until it is answered.
  let waiting: RestoredMessage[] = [];
  let answer: JsonObject = {};
  let prompt: JsonValue | undefined;
  for (const message of messages) {
    const { role, id } = message.record;
    waiting.push(message);
    if (role === "user") prompt = id;
    if (role !== "assistant") continue;
    answer = addMissing(message.record, { parentID: prompt, agent: message.record["mode"] }).record;
    for (const each of waiting) yield importable(each, answer);
    waiting = [];
  }
  for (const each of waiting) yield importable(each, answer);
}

function importable(message: RestoredMessage, answer: JsonObject): ImportableMessage {
  if (message.isCut) return { message, added: [] };
  const own = addMissing(message.record, fieldsOf(message.record, answer));
  const parts = message.parts.map((part) => ({ ...part, ...importablePart(part.record) }));
  const inParts = parts.flatMap(({ added }, at) => {
    return added.map(([place, names]): Added => [`.${at}${place}`, names]);
  });
  return {
    message: { ...message, record: own.record, parts },
    added: [["", own.added], ...inParts],
  };
}

function fieldsOf({ role }: JsonObject, answer: JsonObject): Record<string, JsonValue | undefined> {
  const { agent, parentID, providerID, modelID } = answer;
  if (role === "assistant") return { agent, parentID };
  if (role !== "user") return {};
  const isNamed = providerID !== undefined && modelID !== undefined;
  return { agent, model: isNamed ? { providerID, modelID } : undefined };
}

/**
 * No record of that time says why a step ended, or what a call that had only begun was given; the
 * client has words for both.
 */
function importablePart(record: JsonObject): {
  readonly record: JsonObject;
  readonly added: readonly Added[];
} {
  const { type, state } = record;
  if (type === "step-finish") {
    const ended = addMissing(record, { reason: "unknown" });
    return { record: ended.record, added: [["", ended.added]] };
  }
  if (type !== "tool" || !isJsonObject(state) || state["status"] !== "pending") {
    return { record, added: [] };
  }
  const begun = addMissing(state, { input: {}, raw: "" });
  return { record: { ...record, state: begun.record }, added: [[".state", begun.added]] };
}
