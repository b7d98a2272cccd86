import type { Message } from "@pond/canonical";
import { type Course, objectAt, sourceOf } from "@pond/canonical/adapter";
import { isTyped, without } from "@pond/canonical/foreign";
import { lineUpFrom, type Place, placesOf, recordOf, uuidOf } from "./log-tree.ts";

/**
 * Takes out what the client does not go on from. It takes up the newest message, or what it went
 * back to since, and what stands above that. Before a compaction, and beside a gap in the log, the
 * same goes for the newest that stands there.
 */
export function withoutLeft(messages: readonly Message[]): Course {
  const places = placesOf(messages);
  const rewinds = rewindsOf(messages);
  const main = mainLine(messages, places, rewinds.at(-1));
  const left = new Set(unansweredStarts(messages, places));
  let first = messages.length;
  for (const { at, leaf } of rewinds.toReversed()) {
    // From `first` on all is left already.
    for (let index = leaf + 1; index < Math.min(at, first); index++) left.add(index);
    first = Math.min(first, leaf + 1);
  }
  for (const index of main) left.delete(index);
  const lines = linesOf(messages, places, main, left);
  // Rows of one answer, such as calls made at once, part the tree and stay together.
  const answers = new Set(messages.filter((_, index) => lines.has(index)).map(answerOf));
  // So do results that stand beside the lines, with the notes behind them.
  const results = new Set<number>();
  for (const [index, message] of messages.entries()) {
    const { parent = -1, tree, isSame } = places[index] ?? nowhere;
    const answer = answerOf(message);
    const isOfResult = message.role === "tool" || (isNote(message) && results.has(parent));
    const isBeside = isSame || isOfResult || (answer !== undefined && answers.has(answer));
    const isOther = answer !== undefined || isPrompt(message);
    if (isOfResult && !lines.has(index)) results.add(index);
    // A compaction of what was left is left with it.
    if (left.has(parent) && !main.has(index)) left.add(index);
    else if (lines.has(index) || (parent >= 0 && isBeside)) left.delete(index);
    else if (isOther && tree !== index) left.add(index);
  }
  return without(messages, new Set(messages.filter((_, index) => left.has(index))));
}

const nowhere: Place = { parent: undefined, tree: -1, isSame: false, isAgain: false };

/** A note of the client that it went back: all from behind `leaf` up to it is left. */
type Rewind = { readonly at: number; readonly leaf: number };

function rewindsOf(messages: readonly Message[]): readonly Rewind[] {
  const indexes = new Map(messages.map((message, index) => [uuidOf(message), index]));
  return messages.flatMap((message, at) => {
    const { type, explicit, leafUuid = "" } = recordOf(message);
    if (type !== "last-prompt" || explicit !== true) return [];
    // Without a leaf it went back to the start.
    const leaf = leafUuid === null ? -1 : indexes.get(leafUuid);
    return leaf === undefined || leaf > at ? [] : [{ at, leaf }];
  });
}

function mainLine(
  messages: readonly Message[],
  places: readonly Place[],
  rewind: Rewind | undefined,
): ReadonlySet<number> {
  const isBack = rewind !== undefined && rewind.at > messages.findLastIndex(isSpeech);
  const newest = messages.findLastIndex(
    (message, at) => isSpeech(message) && places[at]?.isAgain === false,
  );
  return lineUpFrom(isBack ? rewind.leaf : newest, places);
}

/** In every tree the way up from the newest message, in that of the main line this. */
function linesOf(
  messages: readonly Message[],
  places: readonly Place[],
  main: ReadonlySet<number>,
  left: ReadonlySet<number>,
): ReadonlySet<number> {
  const lines = new Set<number>();
  const trees = new Set<number>();
  const [end = -1] = main;
  for (const at of [end, ...Array.from(messages.keys()).reverse()]) {
    const { tree, isAgain } = places[at] ?? nowhere;
    const message = messages[at];
    if (message === undefined || trees.has(tree) || left.has(tree) || left.has(at)) continue;
    if (at !== end && (isAgain || !isSpeech(message))) continue;
    trees.add(tree);
    for (const each of lineUpFrom(at, places, tree)) lines.add(each);
  }
  return lines;
}

/** First prompts that nobody answered before another was typed, where answers have a parent. */
function unansweredStarts(
  messages: readonly Message[],
  places: readonly Place[],
): readonly number[] {
  const starts = [...messages.entries()].filter(([index, message]) => {
    const { parentUuid, isSidechain } = recordOf(message);
    const isStart = parentUuid === null && isSidechain !== true && !places[index]?.isAgain;
    return isStart && isSpeech(message);
  });
  if (starts.some(([, message]) => isAnswer(message))) return [];
  const answers = [...messages.entries()].filter(([, message]) => isAnswer(message));
  const answered = new Set(answers.map(([index]) => places[index]?.tree));
  return starts
    .slice(0, -1)
    .filter(([index, message]) => isTyped(message) && !answered.has(index))
    .map(([index]) => index);
}

/** The id of the answer that a row is of: the client writes one for each of its blocks. */
function answerOf(message: Message): string | undefined {
  const { id } = objectAt(recordOf(message), "message");
  return message.role === "assistant" && typeof id === "string" ? id : undefined;
}

/** True for what was given to a model; not for results, nor for a file kept beside the session. */
function isPrompt(message: Message): boolean {
  return message.role === "user" && sourceOf(message)["sidecar"] === undefined;
}

/** True for what the client adds by itself, such as a prompt that was typed while tools worked. */
function isNote(message: Message): boolean {
  const { type, isMeta } = recordOf(message);
  return message.role === "system" || type === "attachment" || isMeta === true;
}

function isSpeech(message: Message): boolean {
  return message.role === "assistant" || isPrompt(message);
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
