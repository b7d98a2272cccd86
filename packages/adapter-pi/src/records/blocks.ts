import type { JsonObject, Part, Role } from "@pond/canonical";
import { allowedParts } from "@pond/canonical";
import {
  type Extracted,
  objectAt,
  reasoningPart,
  restOf,
  type SourceRecord,
  sourceOf,
  toolCallPart,
  toolResultPart,
} from "@pond/canonical/adapter";
import { type Draft, draftText, type Place } from "./draft.ts";
import { type ImageContext, imageFields, readImage } from "./images.ts";

/** What reading a block needs to know. */
export type BlockContext = ImageContext & {
  readonly toolNames: Map<string, Extracted<string>>;
};

type BlockReader = (
  block: SourceRecord,
  place: Place,
  context: BlockContext,
) => Draft[] | undefined;

const readers: Readonly<Record<string, BlockReader>> = {
  text: readText,
  thinking: readThinking,
  toolCall: readToolCall,
  image: readImage,
  anthropicServerTool: readServerTool,
};

/** The parts of one content block; undefined if it maps to none and has to be kept whole. */
export function readBlock(
  block: SourceRecord,
  place: Place,
  context: BlockContext,
): Draft[] | undefined {
  const type = block.peek("type");
  // Types come from the file, so `constructor` must not find a reader.
  const reader =
    typeof type === "string" && Object.hasOwn(readers, type) ? readers[type] : undefined;
  return reader?.(block, place, context);
}

/**
 * The block that a part came from. If a text was cut into parts, its block comes from the first
 * one.
 */
export function restoreBlock(part: Part): JsonObject {
  const source = sourceOf(part);
  const { type, ...rest } = restOf(source);
  const head = type === undefined ? {} : { type };
  switch (part.type) {
    case "text":
      return { ...head, text: part.text, ...rest };
    case "reasoning":
      return { ...head, thinking: part.text, ...rest };
    case "tool_call": {
      const { call_id: id, name, params } = part;
      if (source["wraps"] !== "block") return { ...head, id, name, arguments: params, ...rest };
      return { ...head, ...rest, block: { ...objectAt(rest, "block"), id, name, input: params } };
    }
    case "tool_result": {
      const block = { tool_use_id: part.call_id, content: part.result };
      return { ...head, ...rest, block: { ...objectAt(rest, "block"), ...block } };
    }
    case "file":
      return { ...head, ...imageFields(part), ...rest };
    case "tool_approval_request":
    case "tool_approval_response":
      return rest;
  }
}

function readText(
  block: SourceRecord,
  place: Place,
  { speaker }: BlockContext,
): Draft[] | undefined {
  const raw = block.peek("text");
  const text = block.string("text");
  if (text === undefined || typeof raw !== "string") return undefined;
  return draftText(text, raw, speaker, place, block.rest());
}

function readThinking(
  block: SourceRecord,
  place: Place,
  { role }: BlockContext,
): Draft[] | undefined {
  const text = mayHold(role, "reasoning") ? block.string("thinking") : undefined;
  if (text === undefined) return undefined;
  const init = { provenance, text, source: { ...place, rest: block.rest() } } as const;
  return [(message, id) => reasoningPart(message, { id, ...init })];
}

/** Only a model thinks and calls tools. */
const provenance = "conversational";

function readToolCall(
  block: SourceRecord,
  place: Place,
  context: BlockContext,
): Draft[] | undefined {
  return mayHold(context.role, "tool_call") ? readCall(block, block, place, context) : undefined;
}

/** A tool that the provider ran: its call or its result, verbatim inside. */
function readServerTool(
  block: SourceRecord,
  place: Place,
  context: BlockContext,
): Draft[] | undefined {
  const inner = block.record("block");
  if (inner === undefined || !mayHold(context.role, "tool_result")) return undefined;
  if (inner.peek("tool_use_id") === undefined) return readCall(inner, block, place, context);
  const callId = inner.string("tool_use_id");
  const result = callId && inner.json("content");
  if (callId === undefined || result === undefined) return undefined;
  const name = toolName(inner, context);
  const source = { ...place, wraps: "block", rest: block.rest() };
  const init = {
    provenance: "injected",
    callId,
    name,
    result,
    isFailure: undefined,
    source,
  } as const;
  return [(message, id) => toolResultPart(message, { id, ...init })];
}

function toolName(inner: SourceRecord, { toolNames }: BlockContext): Extracted<string> | undefined {
  const call = inner.peek("tool_use_id");
  return typeof call === "string" ? toolNames.get(call) : undefined;
}

/** The fields of a call are in `call`, which is the block itself or an object inside it. */
function readCall(
  call: SourceRecord,
  block: SourceRecord,
  place: Place,
  { toolNames }: BlockContext,
): Draft[] | undefined {
  const isServers = call !== block;
  const key = isServers ? "input" : "arguments";
  const raw = call.peek("id");
  if (typeof raw !== "string" || typeof call.peek("name") !== "string") return undefined;
  if (call.peek(key) === undefined) return undefined;
  const name = call.requireString("name");
  toolNames.set(raw, name);
  const init = {
    provenance,
    callId: call.requireString("id"),
    name,
    params: call.requireJson(key),
    isProviderExecuted: isServers,
    source: { ...place, wraps: isServers ? "block" : undefined, rest: block.rest() },
  } as const;
  return [(message, id) => toolCallPart(message, { id, ...init })];
}

function mayHold(role: Role, type: Part["type"]): boolean {
  return allowedParts[role].includes(type);
}
