import type { CanonicalEvent, JsonObject, JsonValue, Message, Part } from "@pond/canonical";
import { isJsonObject, partsOf } from "@pond/canonical";
import {
  type KeyOrders,
  messageEvent,
  positionId,
  type SourceOptions,
  type SourceRecord,
  sourceOf,
  suffixedId,
} from "@pond/canonical/adapter";
import { isToolResult, readBlock, restoreBlock } from "./blocks.ts";
import { type Envelope, type Reading, takeEnvelope } from "./envelope.ts";
import { type Draft, draftText, type Speaker } from "./text.ts";
import { typedInResult } from "./typed-in-result.ts";
import { typedMessage } from "./typed-message.ts";

/** Which object of a record holds its content, under which key, and who speaks. */
export type Turn = {
  readonly holder: SourceRecord;
  readonly key: "content" | "prompt";
  readonly role: "user" | "assistant";
  readonly speaker: Speaker;
  /** Set if the "human" turn was written by the agent that started this one. */
  readonly author?: "agent";
};

/** What the blocks of one record came to. */
type Drafts = {
  readonly results: readonly Draft[];
  readonly others: readonly Draft[];
  /** Blocks that map to no part, by position. */
  readonly kept: SourceOptions;
};

/**
 * Reads one record as a message. If a user typed while a tool ran, its `[tool_result, text]`
 * becomes two: a tool message and a user message. What a user said in the result itself becomes one
 * after them. Undefined if the content is not text or blocks; such a record is carried.
 */
export function readTurn(
  record: SourceRecord,
  turn: Turn,
  reading: Reading,
): CanonicalEvent[] | undefined {
  const text = turn.holder.peek(turn.key);
  if (typeof text === "string") return readPlain(record, turn, text, reading);
  const blocks = turn.holder.records(turn.key);
  if (blocks === undefined) return undefined;

  const inResult = typedInResult(record, blocks, reading);
  const { results, others, kept } = readBlocks(blocks, turn, reading);
  const envelope = takeEnvelope(record, reading);
  const source = { ...envelope.facts, ...kept, rest: record.rest() };
  if (turn.role === "assistant" || results.length === 0) {
    return message(turn.role, envelope, { author: turn.author, ...source }, others);
  }
  const tool = message("tool", envelope, source, results);
  const typedAfter = inResult.length > 0 ? typedMessage(envelope, inResult, reading, true) : [];
  if (others.length === 0) return [...tool, ...typedAfter];
  const typed = { id: suffixedId(envelope.id, "text"), timestamp: envelope.timestamp };
  return [...tool, ...message("user", typed, { continues: envelope.id }, others), ...typedAfter];

  function message(
    role: "user" | "assistant" | "tool",
    { id, timestamp }: Pick<Envelope, "id" | "timestamp">,
    options: SourceOptions,
    drafts: readonly Draft[],
  ): CanonicalEvent[] {
    const second = options["continues"] === undefined ? {} : { records: 0 };
    const event = messageEvent(reading.session, role, {
      id,
      timestamp,
      source: options,
      ...second,
    });
    return [event, ...drafts.map((draft, index) => draft(event, positionId(index)))];
  }
}

function readPlain(
  record: SourceRecord,
  turn: Turn,
  raw: string,
  reading: Reading,
): CanonicalEvent[] {
  const text = turn.holder.requireString(turn.key);
  const drafts = raw === "" ? [] : draftText(text, raw, turn.speaker, undefined);
  const { id, timestamp, facts } = takeEnvelope(record, reading);
  const source = { author: turn.author, content: "text", ...facts, rest: record.rest() };
  const event = messageEvent(reading.session, turn.role, { id, timestamp, source });
  return [event, ...drafts.map((draft, index) => draft(event, positionId(index)))];
}

function readBlocks(blocks: readonly SourceRecord[], turn: Turn, reading: Reading): Drafts {
  const results: Draft[] = [];
  const others: Draft[] = [];
  const kept: Record<string, ReturnType<SourceRecord["whole"]>> = {};
  const { toolNames, questions } = reading;
  const speaker = { ...turn.speaker, isBesideResult: blocks.some(isToolResult) };
  for (const [index, block] of blocks.entries()) {
    const place = { block: index === 0 ? undefined : index, speaker, toolNames, questions };
    const drafts = readBlock(block, place);
    if (drafts === undefined) kept[`block.${index}`] = block.whole();
    else (turn.role === "user" && isToolResult(block) ? results : others).push(...drafts);
  }
  return { results, others, kept };
}

/** The content of the record that these messages (one, or the two of one record) came from. */
export function restoreContent(messages: readonly Message[], orders: KeyOrders): JsonValue {
  const [first] = messages;
  const parts = messages.flatMap((message): readonly Part[] => partsOf(message));
  if (first === undefined) return [];
  if (sourceOf(first)["content"] === "text") return parts.map(textOf).join("");

  const blocks = new Map<number, JsonObject>();
  for (const [key, value] of Object.entries(sourceOf(first))) {
    const position = /^block\.(\d+)$/.exec(key)?.[1];
    if (position !== undefined && isJsonObject(value)) blocks.set(Number(position), value);
  }
  for (const part of parts) {
    const position = sourceOf(part)["block"];
    const at = typeof position === "number" ? position : 0;
    const partial = blocks.get(at);
    const block = partial
      ? { ...partial, text: `${partial["text"]}${textOf(part)}` }
      : restoreBlock(part, orders);
    blocks.set(at, block);
  }
  return [...blocks].sort(([left], [right]) => left - right).map(([, block]) => block);
}

function textOf(part: Part): string {
  return part.type === "text" ? part.text : "";
}
