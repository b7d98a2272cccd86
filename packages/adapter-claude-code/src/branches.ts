import type { JsonObject, JsonValue, Message } from "@pond/canonical";
import { type Course, carriedRecord, restOf, sourceOf } from "@pond/canonical/adapter";
import { isTyped, without, withoutLeftBranches } from "@pond/canonical/foreign";

/** Takes out what the client went back over, where nothing was said since. */
export function withoutRewound(messages: readonly Message[]): Course {
  const last = messages.findLastIndex((message) => {
    const { type, explicit } = recordOf(message);
    return type === "last-prompt" && explicit === true;
  });
  const rewind = messages[last];
  const isGoneOnWith = messages.slice(last).some(isConversation);
  if (rewind === undefined || isGoneOnWith) return without(messages, new Set());
  const { leafUuid } = recordOf(rewind);
  const leaf = messages.findIndex((message) => uuidOf(message) === leafUuid);
  // Without a leaf it went back to the start.
  const isKnown = leafUuid === null || leaf >= 0;
  return without(messages, new Set(isKnown ? messages.slice(leaf + 1, last) : []));
}

/** Takes out prompts in whose place another was typed, with all that is below them. */
export function withoutRetyped(messages: readonly Message[]): Course {
  const places = placesOf(messages);
  return withoutLeftBranches(
    messages,
    messages.map((message, index) => {
      const { parent, follows } = places[index] ?? nowhere;
      // The tree also parts where tools ran side by side; prompts do not stand side by side.
      const isRival = typeof follows === "number" && isTyped(message);
      return { parent, competesFor: isRival ? String(follows) : undefined };
    }),
  );
}

/** Takes out prompts without an answer, where the session went on from what they follow. */
export function withoutUnanswered(messages: readonly Message[]): Course {
  const places = placesOf(messages);
  const answered = new Set<number | undefined>();
  const newest = new Map<Place["follows"], number>();
  for (const [index, message] of [...messages.entries()].reverse()) {
    const { parent, follows } = places[index] ?? nowhere;
    if (answered.has(index) || isAnswer(message)) answered.add(index).add(parent);
    const isNewest = follows !== undefined && !newest.has(follows);
    if (isNewest && isConversation(message)) newest.set(follows, index);
  }
  // Where answers have no parent either, the tree does not say what was answered.
  const isWhole = !messages.some((each, at) => isAnswer(each) && places[at]?.follows === start);
  if (!isWhole) newest.delete(start);
  const left = new Set<number | undefined>();
  for (const [index, message] of messages.entries()) {
    const { parent, follows } = places[index] ?? nowhere;
    const isOvertaken = (newest.get(follows) ?? index) !== index;
    const isLeft = isTyped(message) && !answered.has(index) && isOvertaken;
    if (isLeft || (parent !== undefined && left.has(parent))) left.add(index);
  }
  return without(messages, new Set(messages.filter((_, index) => left.has(index))));
}

/** Where a message stands in the tree of its log. */
type Place = {
  /** The index of its parent. */
  readonly parent: number | undefined;
  /** The message of the conversation above it; undefined where the log does not say. */
  readonly follows: number | typeof start | undefined;
};

/** What a first prompt follows. */
const start = "start";

const nowhere: Place = { parent: undefined, follows: undefined };

/** Parents are looked for above only: the trees of real logs are not always whole. */
function placesOf(messages: readonly Message[]): readonly Place[] {
  const indexes = new Map<JsonValue, number>();
  const places: Place[] = [];
  for (const [index, message] of messages.entries()) {
    places.push(placeOf(message));
    const uuid = uuidOf(message);
    if (!indexes.has(uuid)) indexes.set(uuid, index);
  }
  return places;

  function placeOf(message: Message): Place {
    if (sourceOf(message)["continues"] !== undefined) {
      return { parent: places.length === 0 ? undefined : places.length - 1, follows: undefined };
    }
    const { parentUuid, logicalParentUuid } = recordOf(message);
    const parent = indexes.get(parentUuid ?? logicalParentUuid ?? null);
    // A compaction begins the conversation anew.
    if (typeof logicalParentUuid === "string") return { parent, follows: undefined };
    if (parent === undefined) return { parent, follows: parentUuid === null ? start : undefined };
    // What the client notes between two turns is no part of the conversation.
    const above = messages[parent]?.role === "system" ? places[parent]?.follows : undefined;
    return { parent, follows: typeof above === "number" ? above : parent };
  }
}

function recordOf(message: Message): JsonObject {
  return carriedRecord(message) ?? restOf(sourceOf(message));
}

function uuidOf(message: Message): JsonValue {
  return recordOf(message)["uuid"] ?? message.id;
}

/** True for what was said to a model or by it; not for a file kept beside the session. */
function isConversation(message: Message): boolean {
  return message.role !== "system" && sourceOf(message)["sidecar"] === undefined;
}

/** True where a model said or called something; to have thought alone is no answer. */
function isAnswer(message: Message): boolean {
  return (
    message.role === "assistant" &&
    message.content.some(
      ({ provenance, type }) => provenance === "conversational" && type !== "reasoning",
    )
  );
}
