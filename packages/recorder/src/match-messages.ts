import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonEqual,
  type Message,
  partsOf,
  partToWire,
  stringifyJson,
} from "@pond/canonical";
import type { MessageDraft } from "./drafts.ts";
import type { MessageAddition } from "./events.ts";
import { snapshot } from "./snapshot.ts";
import { sourceOf } from "./stored-event.ts";

/** The messages of a loop that its end has not named yet. */
export class UnmatchedMessages {
  readonly #byKey: Map<string, WordedMessage[]>;

  constructor(recorded: Iterable<Message>) {
    const worded = Array.from(recorded, (message) => ({ message, words: wordsOf(message) }));
    this.#byKey = Map.groupBy(worded, ({ words }) => keyOf(words));
  }

  /**
   * Removes and returns the message that the end means: the first to which it adds nothing, or else
   * the first with the same words; undefined if there is none.
   *
   * @param named - What the end says, as it would be recorded.
   */
  takeMatch(named: Message, draft: MessageDraft): Message | undefined {
    const words = wordsOf(named);
    const candidates = this.#byKey.get(keyOf(words)) ?? [];
    const sameWords = candidates.filter((each) => jsonEqual(each.words, words));
    const known = sameWords.find(({ message }) => additionTo(message, named, draft) === undefined);
    const match = known ?? sameWords[0];
    if (match) candidates.splice(candidates.indexOf(match), 1);
    return match?.message;
  }
}

/**
 * What the end of a loop adds to a message. Anything that the end leaves out (the time, what the
 * provider told, options, provenance) does not count as a difference.
 *
 * @param recorded - A message with the same words.
 * @param named - What the end says, as it would be recorded.
 */
export function additionTo(
  recorded: Message,
  named: Message,
  draft: MessageDraft,
): MessageAddition | undefined {
  const { timestamp } = draft;
  const isNewTime = timestamp !== undefined && named.timestamp !== recorded.timestamp;
  const rest = newFields(sourceOf(named)["rest"], sourceOf(recorded)["rest"]);
  const parts = partAdditions(recorded, named, draft);
  if (!isNewTime && rest === undefined && parts.length === 0) return undefined;
  return {
    message_id: recorded.id,
    ...(isNewTime && { timestamp }),
    ...(rest && { rest }),
    ...(parts.length > 0 && { parts }),
  };
}

function partAdditions(
  recorded: Message,
  named: Message,
  { content }: MessageDraft,
): NonNullable<MessageAddition["parts"]> {
  if (typeof content === "string") return [];
  const known = partsOf(recorded);
  return partsOf(named).flatMap(({ id, provenance, options }, index) => {
    const part = known[index];
    const isNewProvenance =
      content[index]?.provenance !== undefined && provenance !== part?.provenance;
    const added = newFields(options, part?.options);
    if (!isNewProvenance && added === undefined) return [];
    return [{ id, ...(isNewProvenance && { provenance }), ...(added && { options: added }) }];
  });
}

/**
 * The fields of `named` that are not recorded, or are recorded with another value; undefined if
 * there are none.
 */
function newFields(
  named: JsonValue | undefined,
  recorded: JsonValue | undefined,
): JsonObject | undefined {
  if (!isJsonObject(named)) return undefined;
  const known: JsonObject = isJsonObject(recorded) ? recorded : {};
  const added = Object.entries(named).filter(([key, value]) => {
    const before = Object.hasOwn(known, key) ? known[key] : undefined;
    return before === undefined || !jsonEqual(value, before);
  });
  return added.length > 0 ? Object.fromEntries(added) : undefined;
}

type Words = readonly [role: string, ...content: readonly JsonValue[]];
type WordedMessage = { readonly message: Message; readonly words: Words };

/** What was said: without its place, without who said a part of it, and without notes about it. */
function wordsOf(message: Message): Words {
  if (message.role === "system") return [message.role, message.content];
  const parts = partsOf(message).map((part) => {
    const {
      session_id: _,
      message_id: _message,
      provenance: _said,
      options: _options,
      ...words
    } = partToWire(part);
    return snapshot(words);
  });
  return [message.role, ...parts];
}

/** Equal for equal words. Nested values are left out, because their fields may be in any order. */
function keyOf(words: Words): string {
  const texts = words.map((each) => {
    return isJsonObject(each) ? Object.values(each).filter(isText).toSorted() : each;
  });
  return stringifyJson(texts);
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === "string";
}
