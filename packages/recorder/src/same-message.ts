import { type JsonObject, jsonEqual, type Message, partsOf, partToWire } from "@pond/canonical";
import { sourceOf } from "./kept-event.ts";
import { snapshot } from "./snapshot.ts";

/**
 * Whether the end of a loop means a message that was recorded. It may say less of it: what it leaves
 * out (the time, what the provider told, options, provenance) is no difference.
 */
export function isNamedBy(recorded: Message, said: Message, time: string | undefined): boolean {
  if (recorded.role !== said.role) return false;
  if (time !== undefined && recorded.timestamp !== said.timestamp) return false;
  const { rest } = sourceOf(said);
  if (rest !== undefined && !jsonEqual(rest, sourceOf(recorded)["rest"] ?? null)) return false;
  if (recorded.role === "system" || said.role === "system") {
    return recorded.role === said.role && recorded.content === said.content;
  }
  const [left, right] = [partsOf(recorded), partsOf(said)];
  return (
    left.length === right.length &&
    left.every((part, index) => {
      const other = right[index];
      if (other === undefined || !jsonEqual(wordsOf(part), wordsOf(other))) return false;
      return isEmpty(other.options) || jsonEqual(part.options, other.options);
    })
  );
}

/** A part without its place, who said it, and what is noted of it. */
function wordsOf(part: Parameters<typeof partToWire>[0]): ReturnType<typeof snapshot> {
  const {
    session_id: _,
    message_id: _message,
    provenance: _said,
    options: _options,
    ...words
  } = partToWire(part);
  return snapshot(words);
}

function isEmpty(options: JsonObject): boolean {
  return Object.keys(options).length === 0;
}
