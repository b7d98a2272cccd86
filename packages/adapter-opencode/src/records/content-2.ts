import type {
  JsonObject,
  JsonValue,
  Message,
  Part,
  ToolCallPart,
  ToolResultPart,
} from "@pond/canonical";
import { isJsonObject } from "@pond/canonical";
import {
  type Extracted,
  type KeyOrders,
  objectAt,
  objectOf,
  openRecord,
  positionId,
  reasoningPart,
  type SourceRecord,
  sourceOf,
  suffixedId,
  textPart,
  toolCallPart,
  toolResultPart,
} from "@pond/canonical/adapter";
import type { Draft, Drafts } from "./parts.ts";
import { slotsOf } from "./slots.ts";

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
  // Betas had it under `provider`.
  const executed = item.peek("executed") ?? objectOf(item.peek("provider"))["executed"];
  const isProviderExecuted = executed === true;
  const params = state.requireJson("input");
  const ended = readAnswer(state, isProviderExecuted);
  const call = { id, provenance: "conversational", callId, name, params } as const;
  const source = { rest: item.rest() };
  const drafts: Draft[] = [
    (message) => toolCallPart(message, { ...call, isProviderExecuted, source }),
  ];
  if (ended) {
    const { isFailure, result, ...shape } = ended;
    const answer = { ...call, id: suffixedId(id, "result"), provenance: "injected" } as const;
    const follows = { follows: true, ...shape };
    drafts.push((message) =>
      toolResultPart(message, { ...answer, isFailure, result, source: follows }),
    );
  }
  return drafts;
}

/** A tool's answer, and its form in the state. */
type Answer = {
  readonly isFailure: Extracted<boolean>;
  readonly result: Extracted<JsonValue>;
  /** Its key, if that is not `content`, or `error` for a tool that failed. */
  readonly from?: string | undefined;
  /** True if the first block is the message of the error. */
  readonly message?: true | undefined;
};

function readAnswer(state: SourceRecord, isProviderExecuted: boolean): Answer | undefined {
  const status = state.peek("status");
  if (status === "error") return readFailure(state);
  const key = answerKey(state, isProviderExecuted);
  const result = status === "completed" ? state.json(key) : undefined;
  if (result === undefined) return undefined;
  const isFailure = state.is("status", "error");
  state.string("status");
  return { isFailure, result, from: key === "content" ? undefined : key };
}

/** Betas may have nothing in `content`, and the answer in another field. */
function answerKey(state: SourceRecord, isProviderExecuted: boolean): string {
  const content = state.peek("content");
  const isEmpty = content === undefined || (Array.isArray(content) && content.length === 0);
  if (!isEmpty) return "content";
  const others = isProviderExecuted ? ["result", "structured"] : ["structured", "result"];
  return others.find((key) => state.peek(key) !== undefined) ?? "content";
}

/** A model is told the error, and what the tool said before. */
function readFailure(state: SourceRecord): Answer | undefined {
  const [error, content] = [state.peek("error"), state.peek("content")];
  const message = isJsonObject(error) ? error["message"] : undefined;
  const isKnown = error === undefined || typeof message === "string";
  const said = isKnown && Array.isArray(content) ? content : [];
  if (said.length === 0) {
    const result = state.json("error");
    return result && { isFailure: state.is("status", "error"), result };
  }
  state.json("content");
  // APIs accept no empty text.
  const hasMessage = message !== undefined && message !== "";
  if (hasMessage) state.record("error")?.string("message");
  const blocks = hasMessage ? [{ type: "text", text: message }, ...said] : said;
  const result = openRecord(state.at, { blocks }).requireJson("blocks");
  const isFailure = state.is("status", "error");
  return { isFailure, result, from: "content", message: hasMessage || undefined };
}

/** The content that the parts of a message came from. */
export function restoreContent(message: Message, orders: KeyOrders): readonly JsonObject[] {
  return slotsOf(message).map((slot) => {
    if (slot.kind === "kept") return slot.record;
    return restoreItem(slot.first, slot.others[0], orders);
  });
}

function restoreItem(part: Part, answer: Part | undefined, orders: KeyOrders): JsonObject {
  const rest = objectAt(sourceOf(part), "rest");
  if (part.type === "text" || part.type === "reasoning") {
    return orders.join(rest, { type: part.type, text: part.text });
  }
  return part.type === "tool_call"
    ? orders.join(rest, { type: "tool", ...restoreTool(part, rest, answer, orders) })
    : rest;
}

function restoreTool(
  call: ToolCallPart,
  rest: JsonObject,
  answer: Part | undefined,
  orders: KeyOrders,
): JsonObject {
  const state = objectAt(rest, "state");
  const names = { id: call.call_id, name: call.name };
  const end = answer?.type === "tool_result" ? answerFields(answer, state, orders) : {};
  return { ...names, state: orders.join(state, { input: call.params, ...end }) };
}

function answerFields(
  { options, is_failure, result }: ToolResultPart,
  state: JsonObject,
  orders: KeyOrders,
): JsonObject {
  const status = is_failure ? "error" : "completed";
  const { from, message } = sourceOf({ options });
  const [first, ...content] = message === true && Array.isArray(result) ? result : [];
  if (isJsonObject(first)) {
    const error = orders.join(objectAt(state, "error"), { message: first["text"] ?? "" });
    return { status, error, content };
  }
  const key = typeof from === "string" ? from : is_failure ? "error" : "content";
  return { status, [key]: result };
}
