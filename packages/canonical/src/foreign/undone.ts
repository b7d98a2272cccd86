import type { JsonValue } from "../json.ts";
import type { Message } from "../message.ts";
import { carriedRecord, objectAt, restOf, sourceOf } from "../seam/source-options.ts";

/** The messages a client would go on from, and those that its user took back or left. */
export type Course = { readonly live: readonly Message[]; readonly undone: readonly Message[] };

/**
 * Takes out what no model is to be told again: turns that were rolled back, messages behind the
 * point to which a session was reverted, branches that were left for another. What a client only
 * compacted stays: another one has its own measure.
 */
export function partUndone(messages: readonly Message[]): Course {
  const undone = new Set([
    ...leftBranches(messages),
    ...rolledBack(messages),
    ...reverted(messages),
  ]);
  if (undone.size === 0) return { live: messages, undone: [] };
  return {
    live: messages.filter((message) => !undone.has(message)),
    undone: messages.filter((message) => undone.has(message)),
  };
}

/** Where a message stands in the tree of its log. */
type Place = {
  /** The index of its parent. */
  readonly parent: number | undefined;
  /** Of all that compete for one place, the one that was gone on with last is live. */
  readonly competesFor: string | undefined;
};

function leftBranches(messages: readonly Message[]): readonly Message[] {
  const places = placesOf(messages);
  const newestBelow = places.map((_, index) => index);
  for (const [index, { parent }] of [...places.entries()].reverse()) {
    if (parent === undefined) continue;
    newestBelow[parent] = Math.max(newestBelow[parent] ?? 0, newestBelow[index] ?? 0);
  }
  const winners = new Map<string | undefined, number>();
  for (const [index, { competesFor }] of places.entries()) {
    const newest = winners.get(competesFor) ?? 0;
    winners.set(competesFor, Math.max(newest, newestBelow[index] ?? 0));
  }
  const left = new Set<number>();
  for (const [index, { parent, competesFor }] of places.entries()) {
    const isBeaten = competesFor !== undefined && winners.get(competesFor) !== newestBelow[index];
    if (isBeaten || (parent !== undefined && left.has(parent))) left.add(index);
  }
  return messages.filter((_, index) => left.has(index));
}

/** Parents are looked for above only: the trees of real logs are not always whole. */
function placesOf(messages: readonly Message[]): readonly Place[] {
  const indexes = new Map<JsonValue, number>();
  return messages.map((message, index): Place => {
    const above = index === 0 ? undefined : index - 1;
    if (sourceOf(message)["continues"] !== undefined) {
      return { parent: above, competesFor: undefined };
    }
    const record = carriedRecord(message) ?? restOf(sourceOf(message));
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

/** Codex notes how many turns were taken back, behind them. */
function rolledBack(messages: readonly Message[]): readonly Message[] {
  const live: Message[] = [];
  const undone: Message[] = [];
  for (const message of messages) {
    const payload = objectAt(carriedRecord(message) ?? {}, "payload");
    const turns = payload["num_turns"];
    if (payload["type"] === "thread_rolled_back" && typeof turns === "number" && turns > 0) {
      const prompts = [...live.keys()].filter((index) => isTyped(live[index]));
      const from = prompts.at(-turns) ?? prompts[0] ?? live.length;
      for (const taken of live.splice(from)) undone.push(taken);
    }
    live.push(message);
  }
  return undone;
}

/** opencode notes in the session from which message on it was reverted. */
function reverted(messages: readonly Message[]): readonly Message[] {
  const points = messages.map((message) => objectAt(carriedRecord(message) ?? {}, "revert"));
  const { messageID, partID } = points.find((point) => point["messageID"] !== undefined) ?? {};
  const from = messages.findIndex(({ id }) => id === messageID);
  // What stands in a message before the part that was reverted is not undone.
  return from < 0 ? [] : messages.slice(typeof partID === "string" ? from + 1 : from);
}

function isTyped(message: Message | undefined): boolean {
  return (
    message?.role === "user" &&
    message.content.some(({ provenance }) => provenance === "conversational")
  );
}
