import type { Message } from "@pond/canonical";
import type { Course } from "@pond/canonical/adapter";
import { courseWithout } from "@pond/canonical/foreign";
import { type Place, pathToRoot, placesOf } from "./log-tree.ts";
import {
  attachedToLastTurn,
  mainLineOf,
  notedRewinds,
  unnotedRewinds,
  withSummaries,
} from "./main-line.ts";
import { answerOf, isCall, isNote, isPrompt, isSpeech } from "./row-kinds.ts";

/**
 * Takes out the branches that the client does not continue. It continues the main line; before a
 * compaction, and next to a gap in the log, the newest message there shows what was continued.
 */
export function withoutAbandoned(messages: readonly Message[]): Course {
  const places = placesOf(messages);
  const noted = notedRewinds(messages);
  const main = withSummaries(mainLineOf(messages, places, noted.at(-1)), places);
  const rewinds = [...noted, ...unnotedRewinds(messages, places)];
  const abandoned = new Set<number>();
  let first = messages.length;
  for (const { at, leaf } of rewinds.sort((one, other) => other.at - one.at)) {
    // Everything from `first` on is left out already.
    for (let index = leaf + 1; index < Math.min(at, first); index++) abandoned.add(index);
    first = Math.min(first, leaf + 1);
  }
  for (const index of main) abandoned.delete(index);
  const attached = attachedToLastTurn(messages, places, main);
  const paths = new Set([...pathsToNewest(messages, places, main, abandoned), ...attached]);
  // Rows of one answer, such as concurrent calls, split the tree but stay together.
  const answers = new Set(messages.filter((_, index) => paths.has(index)).map(answerOf));
  // The same goes for results, and for notes after them or after an answer with calls, if nothing
  // continues elsewhere from them.
  const callers = new Set(messages.filter(isCall).map(answerOf));
  const continued = continuedPlaces(messages, places);
  const ofCalls = new Set<number>();
  for (const [index, message] of messages.entries()) {
    const { parent = -1, tree, isSameRecord } = places[index] ?? noPlace;
    const answer = answerOf(message);
    const isNoteHere = isNote(message) && (paths.has(index) || !continued.has(index));
    const isOfCall = message.role === "tool" || (isNoteHere && ofCalls.has(parent));
    const isBeside = isSameRecord || isOfCall || (answer !== undefined && answers.has(answer));
    const isOther = answer !== undefined || isPrompt(message);
    if (isOfCall || (answer !== undefined && callers.has(answer))) ofCalls.add(index);
    // A compaction of an abandoned branch is left out with it.
    if (abandoned.has(parent) && !main.has(index)) abandoned.add(index);
    else if (paths.has(index) || (parent >= 0 && isBeside)) abandoned.delete(index);
    else if (isOther && tree !== index) abandoned.add(index);
  }
  return courseWithout(messages, new Set(messages.filter((_, index) => abandoned.has(index))));
}

const noPlace: Place = { parent: undefined, tree: -1, isSameRecord: false, isRepeated: false };

/** The places below which something other than a note was said. */
function continuedPlaces(
  messages: readonly Message[],
  places: readonly Place[],
): ReadonlySet<number> {
  const continued = new Set<number>();
  for (const [index, message] of [...messages.entries()].reverse()) {
    const parent = places[index]?.parent;
    const isSaid = isSpeech(message) && !isNote(message);
    if (parent !== undefined && (isSaid || continued.has(index))) continued.add(parent);
  }
  return continued;
}

/** In every tree the path up from the newest message; in the tree of the main line, that line. */
function pathsToNewest(
  messages: readonly Message[],
  places: readonly Place[],
  main: ReadonlySet<number>,
  abandoned: ReadonlySet<number>,
): ReadonlySet<number> {
  const paths = new Set<number>();
  const trees = new Set<number>();
  const [end = -1] = main;
  for (const at of [end, ...Array.from(messages.keys()).reverse()]) {
    const { tree, isRepeated } = places[at] ?? noPlace;
    const message = messages[at];
    if (message === undefined || trees.has(tree) || abandoned.has(tree) || abandoned.has(at))
      continue;
    if (at !== end && (isRepeated || !isSpeech(message))) continue;
    trees.add(tree);
    for (const each of pathToRoot(at, places, tree)) paths.add(each);
  }
  return paths;
}
