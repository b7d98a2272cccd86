import type { CanonicalEvent, JsonObject, Message } from "@pond/canonical";
import { partsOf } from "@pond/canonical";
import {
  type KeyOrders,
  messageEvent,
  reasoningPart,
  restOf,
  type SourceRecord,
  sourceOf,
} from "@pond/canonical/adapter";
import {
  type Draft,
  type ElementPlace,
  partEvents,
  readElements,
  restoreElements,
} from "./content.ts";
import { type Reading, restoreEnvelope, takeEnvelope } from "./envelope.ts";

const lists = ["summary", "content"];

/**
 * What the model thought, as far as it can be read. Most often there is only the encrypted form:
 * then undefined, and the record is carried.
 */
export function readReasoning(
  record: SourceRecord,
  item: SourceRecord,
  reading: Reading,
): CanonicalEvent[] | undefined {
  const read = lists.flatMap((list) => readElements(item, list, readElement) ?? []);
  const drafts = read.flatMap((elements) => elements.drafts);
  if (drafts.length === 0) return undefined;
  const { id, timestamp, facts } = takeEnvelope(record, item, reading);
  const kept = Object.assign({}, ...read.map((elements) => elements.kept));
  const source = { ...facts, ...kept, rest: record.rest() };
  const message = messageEvent(reading.session, "assistant", { id, timestamp, source });
  return [message, ...partEvents(message, drafts)];
}

function readElement(
  element: SourceRecord,
  { list, block }: ElementPlace,
): readonly Draft[] | undefined {
  const text = element.string("text");
  if (text === undefined) return undefined;
  const source = { list: list === "summary" ? undefined : list, block, rest: element.rest() };
  return [
    (message, id) => reasoningPart(message, { id, provenance: "conversational", text, source }),
  ];
}

/** Undefined if the message holds no reasoning. */
export function restoreReasoning(message: Message, orders: KeyOrders): JsonObject | undefined {
  const parts = partsOf(message).flatMap((part) => (part.type === "reasoning" ? [part] : []));
  if (parts.length === 0) return undefined;
  const fields = lists.flatMap((list) => {
    const own = parts.filter((part) => (sourceOf(part)["list"] ?? "summary") === list);
    const elements = restoreElements(message, list, own, (part) =>
      orders.join(restOf(sourceOf(part)), "text" in part ? { text: part.text } : {}),
    );
    return elements.length === 0 ? [] : [[list, elements] as const];
  });
  return restoreEnvelope(message, Object.fromEntries(fields), orders);
}
