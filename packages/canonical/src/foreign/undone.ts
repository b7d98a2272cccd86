import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { type Message, partsOf, type SystemMessage } from "../message.ts";
import { carriedRecord, objectAt, restOf, sourceOf } from "../seam/source-options.ts";
import { hasVisibleText } from "./content.ts";
import { fieldsByMessage, type Records } from "./fields-by-message.ts";
import { givenText } from "./given-text.ts";
import { partWithheld } from "./withheld.ts";

/** The messages a client would go on from, and those that no model is to be told again. */
export type Course = { readonly live: readonly Message[]; readonly undone: readonly Message[] };

/**
 * Takes out what no model is to be told again: turns that were rolled back, messages behind the
 * point to which a session was reverted, branches that were left for another, what stands before a
 * reset of the context, and what a client keeps from its own models. What a client only compacted
 * stays: another one has its own measure.
 */
export function partUndone(messages: readonly Message[]): Course {
  const records = fieldsByMessage(messages);
  let live = messages;
  const undone: Message[] = [];
  // An edit on a branch that was left holds there alone, and so does a reset.
  for (const part of [partReverted, partLeft, partCleared, partWithheld]) {
    const course = part(live, records);
    live = course.live;
    undone.push(...course.undone);
  }
  return { live, undone };
}

function partLeft(messages: readonly Message[], records: Records): Course {
  const places = placesOf(messages, records);
  const left = new Set([...leftBranches(messages, places), ...rolledBack(messages)]);
  return {
    live: messages.filter((message) => !left.has(message)),
    undone: messages.filter((message) => left.has(message)),
  };
}

/** After `/clear` omp's models start anew. One that nothing was said behind has cleared nothing yet. */
function partCleared(messages: readonly Message[]): Course {
  const lastTold = messages.findLastIndex(isTold);
  const reset = messages.findLastIndex(
    (message, index) => index < lastTold && carriedRecord(message)?.["type"] === "reset_boundary",
  );
  const from = Math.max(reset, 0);
  return { live: messages.slice(from), undone: messages.slice(0, from) };
}

/** Where a message stands in the tree of its log. */
type Place = {
  /** The index of its parent. */
  readonly parent: number | undefined;
  /** Of all that compete for one place, the one that was gone on with last is live. */
  readonly competesFor: string | undefined;
};

/** Where the client's own way tells a model nothing, the newest branch that has a turn is live. */
function leftBranches(messages: readonly Message[], places: readonly Place[]): readonly Message[] {
  const ages = messages.map((message, index) => (isBreakOff(message) ? -1 : index));
  const left = new Set(beatenBranches(messages, places, ages));
  if (messages.some((message) => isTold(message) && !left.has(message))) return [...left];
  const turnsFirst = messages.map((message, index) =>
    isTurn(message) ? index + messages.length : (ages[index] ?? index),
  );
  return beatenBranches(messages, places, turnsFirst);
}

/**
 * True where a process of omp was killed. It may have stood on an old branch while the session went
 * on in another one; only who leaves it by himself says where he stands.
 */
function isBreakOff(message: Message): boolean {
  const { customType, data } = carriedRecord(message) ?? {};
  if (customType !== "session_exit" || !isJsonObject(data)) return false;
  return data["kind"] !== "normal";
}

/** What is not on the way to the newest message, by the age that each is given. */
function beatenBranches(
  messages: readonly Message[],
  places: readonly Place[],
  ages: readonly number[],
): readonly Message[] {
  const newestBelow = [...ages];
  for (const [index, { parent }] of [...places.entries()].reverse()) {
    if (parent === undefined) continue;
    newestBelow[parent] = Math.max(newestBelow[parent] ?? -1, newestBelow[index] ?? -1);
  }
  const winners = new Map<string | undefined, number>();
  for (const [index, { competesFor }] of places.entries()) {
    const newest = winners.get(competesFor) ?? -1;
    winners.set(competesFor, Math.max(newest, newestBelow[index] ?? -1));
  }
  const left = new Set<number>();
  for (const [index, { parent, competesFor }] of places.entries()) {
    const isBeaten = competesFor !== undefined && winners.get(competesFor) !== newestBelow[index];
    if (isBeaten || (parent !== undefined && left.has(parent))) left.add(index);
  }
  return messages.filter((_, index) => left.has(index));
}

/** Parents are looked for above only: the trees of real logs are not always whole. */
function placesOf(messages: readonly Message[], records: Records): readonly Place[] {
  const indexes = new Map<JsonValue, number>();
  return messages.map((message, index): Place => {
    const above = index === 0 ? undefined : index - 1;
    if (sourceOf(message)["continues"] !== undefined) {
      return { parent: above, competesFor: undefined };
    }
    const record = records.get(message.id) ?? {};
    const { uuid, id, parentUuid, logicalParentUuid, parentId } = record;
    const named = parentId ?? parentUuid ?? logicalParentUuid;
    const parent = indexes.get(named ?? null);
    const own = uuid ?? id ?? message.id;
    if (!indexes.has(own)) indexes.set(own, index);
    // An entry of pi goes on from its parent; behind one that is lost it goes on from the line above.
    if (parentId !== undefined) {
      const from = parentId === null ? undefined : (parent ?? above);
      return { parent: from, competesFor: from === undefined ? "the root" : String(from) };
    }
    // Claude Code's tree also parts where tools ran side by side; prompts do not stand side by side.
    const isRetyped = parent !== undefined && isTyped(message);
    return { parent, competesFor: isRetyped ? String(parent) : undefined };
  });
}

/** What was taken back in Codex: it is noted behind it. */
function rolledBack(messages: readonly Message[]): readonly Message[] {
  const live: Message[] = [];
  const undone: Message[] = [];
  for (const message of messages) {
    for (const taken of live.splice(takenFrom(live, message))) undone.push(taken);
    live.push(message);
  }
  return undone;
}

/** The index from which on a message takes back what stands before it; that of the end for most. */
function takenFrom(live: readonly Message[], message: Message): number {
  const record = carriedRecord(message) ?? {};
  const { type, num_turns: turns } = objectAt(record, "payload");
  if (type === "thread_rolled_back" && typeof turns === "number" && turns > 0) {
    const prompts = [...live.keys()].filter((index) => isPrompt(live[index]));
    return prompts.at(-turns) ?? prompts[0] ?? live.length;
  }
  // A thread with numbered records goes on in a file of its own, which counts on from the cut.
  const isReverted = record["type"] === "session_meta" && isRevertFile(sourceOf(message)["path"]);
  const start = isReverted ? ordinalOf(message) : undefined;
  if (start === undefined) return live.length;
  const from = live.findIndex((each) => (ordinalOf(each) ?? -1) >= start);
  return from === -1 ? live.length : from;
}

/** True for the name of a file that a revert began: it has an id beside that of the thread. */
function isRevertFile(path: unknown): boolean {
  return typeof path === "string" && /_[\da-f-]{36}\.jsonl[^/]*$/.test(path);
}

/** The number that Codex gave the record of a message. */
function ordinalOf(message: Message): number | undefined {
  const { ordinal } = carriedRecord(message) ?? restOf(sourceOf(message));
  return typeof ordinal === "number" ? ordinal : undefined;
}

/**
 * What a user of Codex can take back: not the mail of another agent, nor a goal that the client
 * told its model in an output, nor what only an event tells, which stand in his place.
 */
function isPrompt(message: Message | undefined): boolean {
  if (message === undefined || !isTyped(message)) return false;
  const source = sourceOf(message);
  const rest = restOf(source);
  const { type } = objectAt(rest, "payload");
  const isMail = rest["type"] === "inter_agent_communication" || type === "agent_message";
  const isPromptItem = type !== "function_call_output" && source["continues"] === undefined;
  return isPromptItem && !isMail;
}

/** opencode notes in the session from which message on it was reverted, or from which part of it. */
function partReverted(all: readonly Message[]): Course {
  const { live: messages, undone: before } = partNotContinued(all);
  const points = messages.map((message) => objectAt(sessionRecord(message), "revert"));
  const { messageID, partID } = points.find((point) => point["messageID"] !== undefined) ?? {};
  const from = messages.findIndex(({ id }) => id === messageID);
  const message = messages[from];
  if (message === undefined) return { live: messages, undone: before };
  const { live, undone } =
    typeof partID === "string" ? cutAt(message, partID) : { live: [], undone: [message] };
  return {
    live: [...messages.slice(0, from), ...live],
    undone: [...before, ...undone, ...messages.slice(from + 1)],
  };
}

/** What opencode keeps of a session; of one that went on in 2.x only what it keeps there counts. */
function sessionRecord(message: Message): JsonObject {
  const { continued } = sourceOf(message);
  return isJsonObject(continued) ? continued : (carriedRecord(message) ?? {});
}

/** Where 2.x took back turns of 1.x before it went on, its reader noted the first one. */
function partNotContinued(messages: readonly Message[]): Course {
  const [first] = messages.flatMap((message) => sourceOf(message)["continued.without"] ?? []);
  const from = messages.findIndex(({ id }) => id === first);
  if (from === -1) return { live: messages, undone: [] };
  const later = messages.findIndex((message) => sourceOf(message)["schema"] === 2);
  const to = later < from ? messages.length : later;
  return {
    live: [...messages.slice(0, from), ...messages.slice(to)],
    undone: messages.slice(from, to),
  };
}

/** What stands in a message before a part is not undone; a half without parts is left out. */
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
 * Where the part that a record of opencode became stands, or what follows a record that became
 * none; behind the last one where the message has no such record.
 */
function indexOfPart(message: Message, partId: string): number {
  const source = sourceOf(message);
  const parts = partsOf(message);
  let position = 0;
  for (const [index, part] of parts.entries()) {
    // An answer is of the same record as its call.
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

/** A turn, or the summary of a branch that was left; a system prompt is no conversation. */
function isTold(message: Message): boolean {
  if (message.role !== "system") return isTurn(message);
  const isSummary = carriedRecord(message)?.["type"] === "branch_summary";
  return isSummary && hasVisibleText(givenText(message));
}

function isTurn(message: Message | undefined): boolean {
  return isTyped(message) || (message?.role === "assistant" && message.content.length > 0);
}

function isTyped(message: Message | undefined): boolean {
  return (
    message?.role === "user" &&
    message.content.some(({ provenance }) => provenance === "conversational")
  );
}
