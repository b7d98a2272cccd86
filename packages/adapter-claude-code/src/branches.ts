import type { Message } from "@pond/canonical";
import type { Course } from "@pond/canonical/adapter";
import { without } from "@pond/canonical/foreign";
import { lineUpFrom, type Place, placesOf } from "./log-tree.ts";
import {
  attachedBehind,
  mainLineOf,
  notedRewinds,
  startsAgain,
  withSummaries,
} from "./main-line.ts";
import { answerOf, isCall, isNote, isPrompt, isSpeech } from "./row-kinds.ts";

/**
 * Takes out the branches that the client does not continue. It continues the main line; before a
 * compaction, and next to a gap in the log, the newest message there shows what was continued.
 */
export function withoutLeft(messages: readonly Message[]): Course {
  const places = placesOf(messages);
  const noted = notedRewinds(messages);
  const main = withSummaries(mainLineOf(messages, places, noted.at(-1)), places);
  const rewinds = [...noted, ...startsAgain(messages, places)];
  const left = new Set<number>();
  let first = messages.length;
  for (const { at, leaf } of rewinds.sort((one, other) => other.at - one.at)) {
    // Everything from `first` on is left out already.
    for (let index = leaf + 1; index < Math.min(at, first); index++) left.add(index);
    first = Math.min(first, leaf + 1);
  }
  for (const index of main) left.delete(index);
  const attached = attachedBehind(messages, places, main);
  const lines = new Set([...linesOf(messages, places, main, left), ...attached]);
  // Rows of one answer, such as concurrent calls, split the tree but stay together.
  const answers = new Set(messages.filter((_, index) => lines.has(index)).map(answerOf));
  // The same goes for results, and for notes after them or after an answer with calls, if nothing
  // continues elsewhere from them.
  const callers = new Set(messages.filter(isCall).map(answerOf));
  const goneOnFrom = placesGoneOnFrom(messages, places);
  const ofCalls = new Set<number>();
  for (const [index, message] of messages.entries()) {
    const { parent = -1, tree, isSame } = places[index] ?? nowhere;
    const answer = answerOf(message);
    const isNoteHere = isNote(message) && (lines.has(index) || !goneOnFrom.has(index));
    const isOfCall = message.role === "tool" || (isNoteHere && ofCalls.has(parent));
    const isBeside = isSame || isOfCall || (answer !== undefined && answers.has(answer));
    const isOther = answer !== undefined || isPrompt(message);
    if (isOfCall || (answer !== undefined && callers.has(answer))) ofCalls.add(index);
    // A compaction of an abandoned branch is left out with it.
    if (left.has(parent) && !main.has(index)) left.add(index);
    else if (lines.has(index) || (parent >= 0 && isBeside)) left.delete(index);
    else if (isOther && tree !== index) left.add(index);
  }
  return without(messages, new Set(messages.filter((_, index) => left.has(index))));
}

const nowhere: Place = { parent: undefined, tree: -1, isSame: false, isAgain: false };

/** The places below which something other than a note was said. */
function placesGoneOnFrom(
  messages: readonly Message[],
  places: readonly Place[],
): ReadonlySet<number> {
  const goneOnFrom = new Set<number>();
  for (const [index, message] of [...messages.entries()].reverse()) {
    const parent = places[index]?.parent;
    const isSaid = isSpeech(message) && !isNote(message);
    if (parent !== undefined && (isSaid || goneOnFrom.has(index))) goneOnFrom.add(parent);
  }
  return goneOnFrom;
}

/** In every tree the path up from the newest message; in the tree of the main line, that line. */
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
