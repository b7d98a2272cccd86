import type { CanonicalEvent, JsonObject, Message, Part } from "@pond/canonical";
import { partsOf } from "@pond/canonical";
import {
  type KeyOrders,
  messageEvent,
  objectAt,
  objectOf,
  restOf,
  type SourceRecord,
  sourceOf,
  suffixedId,
  systemMessageEvent,
} from "@pond/canonical/adapter";
import { compactSummary, isImageTag, labelsOf, rulesIn } from "../provenance.ts";
import type { Speaker } from "../spans.ts";
import {
  aroundText,
  type Draft,
  type ElementPlace,
  partEvents,
  readElements,
  restoreElements,
  textsOf,
  wholeText,
} from "./content.ts";
import { type Reading, restoreEnvelope, takeEnvelope } from "./envelope.ts";
import { readMedia, restoreMedia } from "./media.ts";
import { draftText } from "./text.ts";

/** A message of the conversation; undefined if its content has another shape than the API's. */
export function readMessage(
  record: SourceRecord,
  item: SourceRecord,
  reading: Reading,
): CanonicalEvent[] | undefined {
  const role = item.peek("role");
  switch (role) {
    case "user":
    case "assistant":
      return readTurn(record, item, role, reading);
    case "developer":
    case "system":
      return readSystem(record, item, reading);
    default:
      return undefined;
  }
}

function readTurn(
  record: SourceRecord,
  item: SourceRecord,
  role: "user" | "assistant",
  reading: Reading,
): CanonicalEvent[] | undefined {
  const plain = item.peek("content");
  const speakerAt =
    role === "user" ? userAt(record, item, reading) : modelAt(record, item, reading);
  const place: ElementPlace = { list: "content", block: undefined };
  const drafts: readonly Draft[] | undefined =
    typeof plain === "string" ? draftText(item, "content", speakerAt(place), place) : undefined;
  const elements = drafts
    ? { drafts, kept: {} }
    : readElements(item, "content", (element, at) => readElement(element, speakerAt(at), at));
  if (elements === undefined) return undefined;

  const { id, timestamp, facts } = takeEnvelope(record, item, reading);
  const author = role === "user" ? agentMark(record, reading) : undefined;
  const content = drafts ? "text" : undefined;
  const source = { ...facts, author, content, ...elements.kept, rest: record.rest() };
  const message = messageEvent(reading.session, role, { id, timestamp, source });
  return [message, ...partEvents(message, elements.drafts)];
}

/** Who writes each element in the user's place. */
function userAt(
  record: SourceRecord,
  item: SourceRecord,
  reading: Reading,
): (place: ElementPlace) => Speaker {
  const labels = labelsOf(item);
  const texts = textsOf(item.peek("content"));
  const prompt = texts.findLastIndex((text) => text !== "" && !isImageTag(text));
  reading.rules = rulesIn(texts) ?? reading.rules;
  for (const [index, text] of texts.entries()) {
    if (labels[index]?.kind === "user.goal") reading.goals.noteMessage(record, text);
  }
  const { author, rules } = reading;
  return ({ block = 0 }) => ({
    author,
    rules: block < prompt ? rules : undefined,
    ...labels[block],
  });
}

/**
 * The summary of a compaction is what the model was told to write for itself, not an answer. 0.140
 * does not say so; for one requested by hand, the turn tells.
 */
function modelAt(
  record: SourceRecord,
  item: SourceRecord,
  { answer }: Reading,
): (place: ElementPlace) => Speaker {
  const labels = labelsOf(item);
  const isSummary = metadataOf(record)["compaction_output"] === true || answer.isUnprompted;
  const kindOf = (block: number) => (isSummary ? compactSummary : labels[block]?.kind);
  return ({ block = 0 }) => ({ author: "model", kind: kindOf(block) });
}

function metadataOf(record: SourceRecord): JsonObject {
  return objectOf(record.peek("metadata"));
}

/** Marks text in the user's place of a spawned thread as the spawner's. */
export function agentMark(record: SourceRecord, reading: Reading): "agent" | undefined {
  return reading.author === "agent" && !isInherited(record, reading) ? "agent" : undefined;
}

/** True for what an agent was given of its parent's history: whoever wrote it, wrote it there. */
function isInherited(record: SourceRecord, { historyStart }: Reading): boolean {
  if (metadataOf(record)["inherited_user_message"] === true) return true;
  const ordinal = record.peek("ordinal");
  return typeof ordinal === "number" && historyStart !== undefined && ordinal < historyStart;
}

function readElement(
  element: SourceRecord,
  speaker: Speaker,
  place: ElementPlace,
): readonly Draft[] | undefined {
  const type = element.peek("type");
  if (typeof type !== "string") return undefined;
  if (textTypes.has(type)) return draftText(element, "text", speaker, place);
  return readMedia(element, type, speaker, place);
}

const textTypes: ReadonlySet<string> = new Set(["input_text", "output_text", "text"]);

/**
 * Instructions to the model. A system message holds one text, so one with several blocks becomes
 * several messages.
 */
function readSystem(
  record: SourceRecord,
  item: SourceRecord,
  reading: Reading,
): CanonicalEvent[] | undefined {
  const content = item.string("content");
  if (content) {
    const { id, timestamp, facts } = takeEnvelope(record, item, reading);
    const source = { ...facts, content: "text", rest: record.rest() };
    return [systemMessageEvent(reading.session, { id, timestamp, source, content })];
  }
  const list = item.peek("content");
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const blocks = item.records("content")?.map((block) => ({ text: block.string("text"), block }));
  if (blocks === undefined) return undefined;
  const texts = blocks.flatMap(({ text, block }) => (text ? [{ text, block: block.rest() }] : []));
  if (texts.length < blocks.length) return undefined;

  const { id, timestamp, facts } = takeEnvelope(record, item, reading);
  const whole = { ...facts, rest: record.rest() };
  return texts.map(({ text, block }, index) =>
    systemMessageEvent(reading.session, {
      id: index === 0 ? id : suffixedId(id, String(index)),
      timestamp,
      source: { ...(index === 0 ? whole : { continues: index }), block },
      content: text,
      records: index === 0 ? 1 : 0,
    }),
  );
}

/** The record that these messages came from: one, or as many as a system message had blocks. */
export function restoreMessage(
  messages: readonly Message[],
  orders: KeyOrders,
): JsonObject | undefined {
  const [first] = messages;
  if (first === undefined) return undefined;
  const isPlain = sourceOf(first)["content"] === "text";
  if (first.role === "system") {
    const blocks = messages.flatMap((message) =>
      message.role === "system"
        ? [orders.join(objectAt(sourceOf(message), "block"), { text: message.content })]
        : [],
    );
    return restoreEnvelope(first, { content: isPlain ? first.content : blocks }, orders);
  }
  if (isPlain) {
    return restoreEnvelope(first, { content: wholeText(first) }, orders, aroundText(first));
  }
  const content = restoreElements(first, "content", partsOf(first), (part) =>
    restoreElement(part, orders),
  );
  return restoreEnvelope(first, { content }, orders);
}

function restoreElement(part: Part, orders: KeyOrders): JsonObject {
  if (part.type === "file") return restoreMedia(part, orders);
  return orders.join(restOf(sourceOf(part)), part.type === "text" ? { text: part.text } : {});
}
