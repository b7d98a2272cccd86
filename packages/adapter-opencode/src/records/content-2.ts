import type { JsonObject, Message, Part, ToolCallPart } from "@pond/canonical";
import {
  type Extracted,
  objectAt,
  positionId,
  reasoningPart,
  type SourceRecord,
  secondId,
  sourceOf,
  textPart,
  toolCallPart,
  toolResultPart,
} from "@pond/canonical/adapter";
import type { Draft, Drafts } from "./parts.ts";
import { placesOf } from "./places.ts";

/** The content of an assistant's message of version 2. */
export function readContent(items: readonly SourceRecord[]): Drafts {
  const drafts: Draft[] = [];
  const kept: Record<string, Extracted<JsonObject>> = {};
  for (const [position, item] of items.entries()) {
    const read = readItem(item, positionId(position));
    if (read) drafts.push(...read);
    else kept[`part.${position}`] = item.whole();
  }
  return { drafts, kept };
}

function readItem(item: SourceRecord, id: Extracted<string>): readonly Draft[] | undefined {
  const type = item.peek("type");
  if (type === "tool") return readTool(item, id);
  if (type !== "text" && type !== "reasoning") return undefined;
  const text = item.string("text");
  if (text === undefined) return undefined;
  item.string("type");
  const init = { id, provenance: "conversational", text, source: { rest: item.rest() } } as const;
  return [(message) => (type === "text" ? textPart(message, init) : reasoningPart(message, init))];
}

function readTool(item: SourceRecord, id: Extracted<string>): readonly Draft[] | undefined {
  const state = item.record("state");
  if (state === undefined || state.peek("input") === undefined) return undefined;
  if (typeof item.peek("id") !== "string" || typeof item.peek("name") !== "string") {
    return undefined;
  }
  item.string("type");
  const [callId, name] = [item.requireString("id"), item.requireString("name")];
  const isProviderExecuted = item.peek("executed") === true;
  const params = state.requireJson("input");
  const status = state.peek("status");
  const key = status === "completed" ? "content" : status === "error" ? "error" : undefined;
  const result = key && state.json(key);
  const isFailure = result && state.is("status", "error");
  if (result && status === "completed") state.string("status");
  const call = { id, provenance: "conversational", callId, name, params } as const;
  const source = { rest: item.rest() };
  const drafts: Draft[] = [
    (message) => toolCallPart(message, { ...call, isProviderExecuted, source }),
  ];
  if (result) {
    const answer = { ...call, id: secondId(id, "result"), provenance: "injected" } as const;
    const follows = { follows: true };
    drafts.push((message) =>
      toolResultPart(message, { ...answer, isFailure, result, source: follows }),
    );
  }
  return drafts;
}

/** The content that the parts of a message came from. */
export function restoreContent(message: Message): readonly JsonObject[] {
  return placesOf(message).map((place) => {
    return place.kind === "kept" ? place.record : restoreItem(place.first, place.others[0]);
  });
}

function restoreItem(part: Part, answer: Part | undefined): JsonObject {
  const rest = objectAt(sourceOf(part), "rest");
  if (part.type === "text" || part.type === "reasoning") {
    return { type: part.type, ...rest, text: part.text };
  }
  return part.type === "tool_call"
    ? { type: "tool", ...rest, ...restoreTool(part, rest, answer) }
    : rest;
}

function restoreTool(call: ToolCallPart, rest: JsonObject, answer: Part | undefined): JsonObject {
  const state = { ...objectAt(rest, "state"), input: call.params };
  const names = { id: call.call_id, name: call.name };
  if (answer?.type !== "tool_result") return { ...names, state };
  const { is_failure, result } = answer;
  const ended = is_failure
    ? { status: "error", error: result }
    : { status: "completed", content: result };
  return { ...names, state: { ...state, ...ended } };
}
