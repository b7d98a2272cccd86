import {
  fromRfc3339,
  jsonEqual,
  type Message,
  type Part,
  partsOf,
  partToWire,
} from "@pond/canonical";
import type { Addition } from "./events.ts";
import { sourceOf } from "./kept-event.ts";
import type { Said } from "./said.ts";
import { snapshot } from "./snapshot.ts";

/**
 * The place of the message that the end of a loop means: the first to which it adds nothing, or else
 * the first of the same words; -1 where there is none.
 *
 * @param recorded - Messages that it did not name yet.
 * @param named - What it says, as it would be recorded.
 */
export function indexOfNamed(recorded: readonly Message[], named: Message, said: Said): number {
  const known = recorded.findIndex((each) => {
    return additionTo(each, named, said) === undefined && haveSameWords(each, named);
  });
  return known < 0 ? recorded.findIndex((each) => haveSameWords(each, named)) : known;
}

/**
 * What the end of a loop adds to a message. What it leaves out (the time, what the provider told,
 * options, provenance) is no difference.
 *
 * @param named - What it says, as it would be recorded.
 */
export function additionTo(recorded: Message, named: Message, said: Said): Addition | undefined {
  const { timestamp } = said;
  const isNewTime = timestamp !== undefined && fromRfc3339(timestamp) !== recorded.timestamp;
  const { rest } = sourceOf(named);
  const isNewRest = rest !== undefined && !jsonEqual(rest, sourceOf(recorded)["rest"] ?? null);
  const parts = newInParts(recorded, named, said);
  if (!isNewTime && !isNewRest && parts.length === 0) return undefined;
  return {
    message_id: recorded.id,
    ...(isNewTime && { timestamp }),
    ...(isNewRest && { rest }),
    ...(parts.length > 0 && { parts }),
  };
}

function newInParts(
  recorded: Message,
  named: Message,
  { content }: Said,
): NonNullable<Addition["parts"]> {
  if (typeof content === "string") return [];
  const known = partsOf(recorded);
  return partsOf(named).flatMap(({ id, provenance, options }, index) => {
    const part = known[index];
    const isNewProvenance =
      content[index]?.provenance !== undefined && provenance !== part?.provenance;
    const isNewOptions =
      Object.keys(options).length > 0 && !jsonEqual(options, part?.options ?? null);
    if (!isNewProvenance && !isNewOptions) return [];
    return [{ id, ...(isNewProvenance && { provenance }), ...(isNewOptions && { options }) }];
  });
}

function haveSameWords(left: Message, right: Message): boolean {
  if (left.role === "system" || right.role === "system") {
    return left.role === right.role && left.content === right.content;
  }
  const [parts, others] = [partsOf(left), partsOf(right)];
  return (
    left.role === right.role &&
    parts.length === others.length &&
    parts.every((part, index) => {
      const other = others[index];
      return other !== undefined && jsonEqual(wordsOf(part), wordsOf(other));
    })
  );
}

/** A part without its place, who said it, and what is noted of it. */
function wordsOf(part: Part): ReturnType<typeof snapshot> {
  const {
    session_id: _,
    message_id: _message,
    provenance: _said,
    options: _options,
    ...words
  } = partToWire(part);
  return snapshot(words);
}
