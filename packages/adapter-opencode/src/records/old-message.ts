import type { CanonicalEvent, JsonObject, Message, Part } from "@pond/canonical";
import {
  type Extracted,
  filePart,
  type KeyOrders,
  messageEvent,
  objectAt,
  positionId,
  reasoningPart,
  type SourceRecord,
  sourceOf,
  suffixedId,
  textPart,
  toolCallPart,
  toolResultPart,
} from "@pond/canonical/adapter";
import type { StoredMessage } from "../stores/stored.ts";
import { type Reading, withTime } from "./envelope.ts";
import { fileUrl } from "./file-url.ts";
import type { Draft } from "./parts.ts";
import { slotsOf } from "./slots.ts";

/**
 * A message as the client wrote it until July 2025: its parts inside, its times in `metadata`.
 * Undefined if it has another shape.
 */
export function readOldMessage(
  { record, row }: StoredMessage,
  reading: Reading,
): CanonicalEvent[] | undefined {
  const role = record.peek("role");
  if (role !== "user" && role !== "assistant") return undefined;
  const parts = record.records("parts");
  if (parts === undefined) return undefined;
  const ownId = reading.ids.own(record);
  const id = ownId ?? reading.ids.derived(record);
  const time = record.record("metadata")?.record("time")?.milliseconds("created");
  record.string("role");
  const drafts: Draft[] = [];
  const kept: Record<string, Extracted<JsonObject>> = {};
  for (const [position, part] of parts.entries()) {
    const read = readPart(part, positionId(position), role);
    if (read) drafts.push(...read);
    else kept[`part.${position}`] = part.whole();
  }
  const event = messageEvent(reading.session, role, {
    id,
    timestamp: time ?? reading.anchor,
    source: {
      shape: "old",
      id: ownId ? undefined : "content",
      time: time ? undefined : "session",
      ...kept,
      row: row?.whole(),
      rest: record.rest(),
    },
  });
  return [event, ...drafts.map((draft) => draft(event))];
}

function readPart(
  part: SourceRecord,
  id: Extracted<string>,
  role: "user" | "assistant",
): readonly Draft[] | undefined {
  const provenance = "conversational";
  switch (part.peek("type")) {
    case "text": {
      const text = part.string("text");
      if (text === undefined) return undefined;
      const init = { id, provenance, text, source: { rest: part.rest() } } as const;
      return [(message) => textPart(message, init)];
    }
    case "reasoning": {
      if (role === "user") return undefined;
      const text = part.string("text");
      if (text === undefined) return undefined;
      const init = { id, provenance, text, source: { rest: part.rest() } } as const;
      return [(message) => reasoningPart(message, init)];
    }
    case "file": {
      if (typeof part.peek("mediaType") !== "string") return undefined;
      const content = part.dataUrl("url", "mediaType");
      if (content === undefined) return undefined;
      const [mediaType, fileName] = [part.string("mediaType"), part.string("filename")];
      const source = { rest: part.rest() };
      const init = { id, provenance, content, mediaType, fileName, source } as const;
      return [(message) => filePart(message, init)];
    }
    case "tool-invocation":
      return role === "user" ? undefined : readInvocation(part, id);
    default:
      return undefined;
  }
}

function readInvocation(part: SourceRecord, id: Extracted<string>): readonly Draft[] | undefined {
  const call = part.record("toolInvocation");
  if (call === undefined || call.peek("args") === undefined) return undefined;
  if (typeof call.peek("toolCallId") !== "string") return undefined;
  if (typeof call.peek("toolName") !== "string") return undefined;
  const callId = call.requireString("toolCallId");
  const name = call.requireString("toolName");
  const params = call.requireJson("args");
  const result = call.peek("state") === "result" ? call.json("result") : undefined;
  const source = { rest: part.rest() };
  const init = { id, provenance: "conversational", callId, name, params, source } as const;
  const drafts: Draft[] = [
    (message) => toolCallPart(message, { ...init, isProviderExecuted: false }),
  ];
  if (result) {
    const answer = {
      id: suffixedId(id, "result"),
      provenance: "injected",
      callId,
      name,
      isFailure: undefined,
      result,
      source: { follows: true },
    } as const;
    drafts.push((message) => toolResultPart(message, answer));
  }
  return drafts;
}

/** The record that such a message came from; undefined for a message of another shape. */
export function restoreOldRecord(message: Message, orders: KeyOrders): JsonObject | undefined {
  const source = sourceOf(message);
  if (source["shape"] !== "old") return undefined;
  const rest = objectAt(source, "rest");
  const id = source["id"] === "content" ? {} : { id: message.id };
  const fields = { ...id, role: message.role, parts: restoreParts(message, orders) };
  const body = orders.join(rest, fields);
  if (source["time"] === "session") return body;
  const metadata = withTime(objectAt(rest, "metadata"), message, orders);
  return orders.join(body, { metadata });
}

function restoreParts(message: Message, orders: KeyOrders): readonly JsonObject[] {
  return slotsOf(message).map((slot) => {
    if (slot.kind === "kept") return slot.record;
    return restorePart(slot.first, slot.others[0], orders);
  });
}

function restorePart(part: Part, answer: Part | undefined, orders: KeyOrders): JsonObject {
  const rest = objectAt(sourceOf(part), "rest");
  switch (part.type) {
    case "text":
    case "reasoning":
      return orders.join(rest, { text: part.text });
    case "file": {
      const name = part.file_name === undefined ? {} : { filename: part.file_name };
      const url = fileUrl(part);
      return orders.join(rest, { mediaType: part.media_type, ...name, url });
    }
    case "tool_call": {
      const call = { toolCallId: part.call_id, toolName: part.name, args: part.params };
      const result = answer?.type === "tool_result" ? { result: answer.result } : {};
      const whole = orders.join(objectAt(rest, "toolInvocation"), { ...call, ...result });
      return orders.join(rest, { toolInvocation: whole });
    }
    default:
      return rest;
  }
}
