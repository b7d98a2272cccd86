import type {
  JsonObject,
  JsonValue,
  Message,
  MessageEvent,
  Part,
  PartEvent,
} from "@pond/canonical";
import { isJsonObject, partsOf } from "@pond/canonical";
import {
  type Extracted,
  objectOf,
  positionId,
  restOf,
  type SourceRecord,
  sourceOf,
} from "@pond/canonical/adapter";

/** A part that still needs its message and its id. */
export type Draft = (message: MessageEvent, id: Extracted<string>) => PartEvent;

/** The outcome for the elements of one list of a record. */
export type Elements = {
  readonly drafts: readonly Draft[];
  /** Elements that map to no part, kept whole, by list and position. */
  readonly kept: Readonly<Record<string, Extracted<JsonObject>>>;
};

/** The place of an element: `list` is the field; `block` is its position, except for the first. */
export type ElementPlace = { readonly list: string; readonly block: number | undefined };

/**
 * The elements of the list at `key` as parts. Undefined if it is not a list of objects; it is then
 * left as it is, and so is an empty list.
 */
export function readElements(
  item: SourceRecord,
  key: string,
  read: (element: SourceRecord, place: ElementPlace) => readonly Draft[] | undefined,
): Elements | undefined {
  const list = item.peek(key);
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const drafts: Draft[] = [];
  const kept: Record<string, Extracted<JsonObject>> = {};
  const elements = item.records(key);
  for (const [index, element] of elements?.entries() ?? []) {
    const parts = read(element, { list: key, block: index === 0 ? undefined : index });
    if (parts) drafts.push(...parts);
    else kept[`${key}.${index}`] = element.whole();
  }
  return elements && { drafts, kept };
}

/** The text of each element of an item's content; empty if one has none. */
export function textsOf(content: JsonValue | undefined): readonly string[] {
  if (!Array.isArray(content)) return [];
  return content.map((element) => {
    const { text } = objectOf(element);
    return typeof text === "string" ? text : "";
  });
}

/** The parts in order, each with its position as its id. */
export function partEvents(message: MessageEvent, drafts: readonly Draft[]): PartEvent[] {
  return drafts.map((draft, index) => draft(message, positionId(index)));
}

/** The list at `key` that parts and kept elements of a message came from. */
export function restoreElements(
  message: Message,
  key: string,
  parts: readonly Part[],
  restore: (part: Part) => JsonObject,
): JsonValue[] {
  const elements = new Map<number, JsonObject>();
  for (const [name, value] of Object.entries(sourceOf(message))) {
    const [list, position] = name.split(".");
    if (list === key && position !== undefined && isJsonObject(value)) {
      elements.set(Number(position), value);
    }
  }
  for (const part of parts) {
    const { block } = sourceOf(part);
    const at = typeof block === "number" ? block : 0;
    const partial = elements.get(at);
    // The pieces of a text that was cut, joined, are the whole text again.
    elements.set(
      at,
      partial ? { ...partial, text: `${partial["text"]}${textOf(part)}` } : restore(part),
    );
  }
  return [...elements].sort(([left], [right]) => left - right).map(([, element]) => element);
}

/** The text of all parts of a message together. */
export function wholeText(message: Message): string {
  return partsOf(message).map(textOf).join("");
}

/** The fields around a text that makes up the whole message, as its first part keeps them. */
export function aroundText(message: Message): JsonObject {
  const [first] = partsOf(message);
  return first ? restOf(sourceOf(first)) : {};
}

function textOf(part: Part): string {
  return part.type === "text" ? part.text : "";
}
