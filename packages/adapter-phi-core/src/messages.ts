import type {
  JsonObject,
  JsonValue,
  Message,
  MessageEvent,
  Micros,
  Part,
  ReadEvent,
  SessionEvent,
} from "@pond/canonical";
import { isJsonObject, partsOf, stringifyJson } from "@pond/canonical";
import {
  carrierEvent,
  type Extracted,
  filePart,
  messageEvent,
  openRecord,
  positionId,
  reasoningPart,
  type SourceOptions,
  type SourceRecord,
  textPart,
  toolCallPart,
  toolResultPart,
} from "@pond/canonical/adapter";
import { restOf, sourceOf } from "./options.ts";
import { provenanceOf, type TextPlace } from "./provenance.ts";

/** Where a message stands and what was said before it in its session. */
export type MessagePlace = {
  readonly session: SessionEvent;
  readonly id: Extracted<string>;
  /** For messages without a time of their own. */
  readonly anchor: Extracted<Micros>;
  /** Key of the loop it is in. */
  readonly loop: string;
  readonly loopId: string;
  readonly isFirst: boolean;
  /** Set where the loop has it in its turns or events alone: it is not written back. */
  readonly isDerived: boolean;
  /** Values of the messages so far: branches and compacted contexts repeat them. */
  readonly seen: Set<string>;
};

/** The events of one message of a loop; one that says nothing new or nothing at all is a carrier. */
export function readMessage(record: SourceRecord, place: MessagePlace): readonly ReadEvent[] {
  const value = saidBy(record);
  const isRepeated = place.seen.has(value);
  place.seen.add(value);
  const draft = isRepeated ? undefined : draftOf(record);
  const source = { loop: place.loop, ...(place.isDerived && { derived: true }) };
  if (draft === undefined) {
    const untaken = openRecord(record.at, valueAsObject(record));
    const timestamp = untaken.milliseconds("timestamp") ?? place.anchor;
    const fields = { ...source, ...(isRepeated && { repeats: true }) };
    const init = { id: place.id, timestamp, record: record.whole(), source: fields };
    return [carrierEvent(place.session, init)];
  }
  return draft(place, source);
}

/** A message's value, without where it stands in the loop tree. */
function saidBy(record: SourceRecord): string {
  const { turnId: _turn, nodeId: _node, parentId: _parent, ...said } = valueAsObject(record);
  return stringifyJson(said);
}

function valueAsObject(record: SourceRecord): JsonObject {
  return Object.fromEntries(record.keys().map((key) => [key, record.peek(key) ?? null]));
}

type Drafted = (place: MessagePlace, source: SourceOptions) => readonly ReadEvent[];

function draftOf(record: SourceRecord): Drafted | undefined {
  const role = record.peek("role");
  const blocks = record.peek("content");
  if (!Array.isArray(blocks) || typeof record.peek("timestamp") !== "number") return undefined;
  if (role === "toolResult") return isText(record, "toolCallId") ? readResult(record) : undefined;
  if (role !== "user" && role !== "assistant") return undefined;
  const known = role === "user" ? userBlocks : assistantBlocks;
  return blocks.every((block: JsonValue) => isKnown(block, known))
    ? readTurn(record, role)
    : undefined;
}

const userBlocks = ["text", "image"];
const assistantBlocks = [...userBlocks, "thinking", "toolCall"];
const needed: Readonly<Record<string, readonly string[]>> = {
  text: ["text"],
  image: ["data", "mimeType"],
  thinking: ["thinking"],
  toolCall: ["id", "name"],
};

function isKnown(block: JsonValue, known: readonly string[]): boolean {
  if (!isJsonObject(block)) return false;
  const { type, ...fields }: JsonObject = block;
  if (typeof type !== "string" || !known.includes(type)) return false;
  const hasTexts = (needed[type] ?? []).every((key) => typeof fields[key] === "string");
  return hasTexts && (type !== "toolCall" || "arguments" in fields);
}

function isText(record: SourceRecord, key: string): boolean {
  return typeof record.peek(key) === "string";
}

function readResult(record: SourceRecord): Drafted {
  return ({ session, id, anchor }, source) => {
    const timestamp = record.milliseconds("timestamp") ?? anchor;
    const callId = record.requireString("toolCallId");
    const name = record.string("toolName");
    const isFailure = record.boolean("isError");
    const result = record.requireJson("content");
    const has = { ...(isFailure === undefined && { lacks: "isError" }) };
    const message = messageEvent(session, "tool", {
      id,
      timestamp,
      source: { ...source, ...has, rest: record.rest() },
    });
    const part = {
      id: positionId(0),
      provenance: "injected",
      callId,
      name,
      isFailure,
      result,
    } as const;
    return [message, toolResultPart(message, part)];
  };
}

function readTurn(record: SourceRecord, role: "user" | "assistant"): Drafted {
  return ({ session, id, anchor, loopId, isFirst }, source) => {
    const timestamp = record.milliseconds("timestamp") ?? anchor;
    const blocks = record.records("content") ?? [];
    const message = messageEvent(session, role, {
      id,
      timestamp,
      source: { ...source, rest: record.rest() },
    });
    const parts = blocks.map((block, index) => {
      const place = { loopId, isFirstMessage: isFirst, isFirstBlock: index === 0 };
      return readBlock(message, block, index, role === "user" ? place : undefined);
    });
    return [message, ...parts];
  };
}

function readBlock(
  message: MessageEvent,
  block: SourceRecord,
  index: number,
  typed: TextPlace | undefined,
): ReadEvent {
  const id = positionId(index);
  const type = block.peek("type");
  const text = block.peek("text");
  const provenance =
    typed && typeof text === "string" ? provenanceOf(text, typed) : "conversational";
  switch (type) {
    case "image": {
      const mediaType = block.requireString("mimeType");
      const content = block.base64("data") ?? block.url("data");
      if (content === undefined) throw new TypeError("an image that was checked has no data");
      return filePart(message, {
        id,
        provenance,
        mediaType,
        content,
        source: { rest: block.rest() },
      });
    }
    case "thinking": {
      const thinking = block.requireString("thinking");
      return reasoningPart(message, {
        id,
        provenance,
        text: thinking,
        source: { rest: block.rest() },
      });
    }
    case "toolCall": {
      const callId = block.requireString("id");
      const name = block.requireString("name");
      const params = block.requireJson("arguments");
      const call = { callId, name, params, isProviderExecuted: false };
      return toolCallPart(message, { id, provenance, ...call, source: { rest: block.rest() } });
    }
    default: {
      const said = block.requireString("text");
      return textPart(message, { id, provenance, text: said, source: { rest: block.rest() } });
    }
  }
}

/** The message as it was in its loop. */
export function restoreMessage(message: Message): JsonObject {
  const source = sourceOf(message);
  const { record } = source;
  if (isJsonObject(record)) return record;
  const rest = restOf(source);
  const timestamp = "timestamp" in rest ? {} : { timestamp: Number(message.timestamp / 1000n) };
  const [first] = partsOf(message);
  if (message.role === "tool" && first?.type === "tool_result") {
    const { call_id: toolCallId, name, is_failure: isError, result: content } = first;
    const named = name === undefined ? {} : { toolName: name };
    const failure = source["lacks"] === "isError" ? {} : { isError };
    return { toolCallId, ...named, content, ...failure, ...timestamp, ...rest };
  }
  return { content: partsOf(message).map(restoreBlock), ...timestamp, ...rest };
}

function restoreBlock(part: Part): JsonObject {
  const rest = restOf(sourceOf(part));
  switch (part.type) {
    case "text":
      return { text: part.text, ...rest };
    case "reasoning":
      return { thinking: part.text, ...rest };
    case "file":
      return { data: dataOf(part.data), mimeType: part.media_type, ...rest };
    case "tool_call":
      return { id: part.call_id, name: part.name, arguments: part.params, ...rest };
    default:
      return rest;
  }
}

function dataOf(data: Extract<Part, { type: "file" }>["data"]): string {
  if (data.type === "bytes") return Buffer.from(data.bytes).toString("base64");
  return data.type === "base64" ? data.text : data.url;
}
