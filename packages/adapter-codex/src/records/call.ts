import type { CanonicalEvent, JsonObject, JsonValue, Message } from "@pond/canonical";
import { isJsonObject, partsOf } from "@pond/canonical";
import {
  filePart,
  type KeyOrders,
  messageEvent,
  restOf,
  type SourceRecord,
  sourceOf,
  toolCallPart,
} from "@pond/canonical/adapter";
import { type Draft, partEvents } from "./content.ts";
import { type Reading, restoreEnvelope, takeEnvelope } from "./envelope.ts";
import { base64Of } from "./media.ts";
import { asksUser } from "./user-answers.ts";

/** How one type of item says which tool was called, and with what. */
type CallShape = {
  /** Fields that may hold the parameters, the usual one first. */
  readonly params: readonly [string, ...string[]];
  /** Absent if the type of the item is the tool's only name. */
  readonly isNamed?: true;
  /** True for tools that run at the provider. */
  readonly isRemote?: true;
  /** The field with a file that the tool made, as base64 text. */
  readonly file?: string;
};

const shapes: ReadonlyMap<string, CallShape> = new Map<string, CallShape>([
  ["function_call", { params: ["arguments"], isNamed: true }],
  ["custom_tool_call", { params: ["input"], isNamed: true }],
  ["local_shell_call", { params: ["action"] }],
  ["tool_search_call", { params: ["arguments"] }],
  ["web_search_call", { params: ["action"], isRemote: true }],
  [
    "image_generation_call",
    { params: ["revised_prompt", "status"], isRemote: true, file: "result" },
  ],
]);

/** The types of items that are tool calls. */
export const callTypes: readonly string[] = [...shapes.keys()];

/**
 * A call, with its parameters exactly as the model wrote them: most often a text that holds JSON,
 * or should. Undefined if something is missing that a call needs.
 */
export function readCall(
  record: SourceRecord,
  item: SourceRecord,
  reading: Reading,
): CanonicalEvent[] | undefined {
  const shape = shapes.get(String(item.peek("type")));
  const field = shape?.params.find((key) => item.peek(key) !== undefined);
  if (shape === undefined || field === undefined) return undefined;
  const nameKey = shape.isNamed ? "name" : "type";
  const idKey = ["call_id", "id"].find((key) => typeof item.peek(key) === "string");
  if (idKey === undefined || typeof item.peek(nameKey) !== "string") return undefined;

  const { id, timestamp, facts } = takeEnvelope(record, item, reading);
  const name = item.requireString(nameKey);
  const init = {
    provenance: "conversational",
    callId: item.requireString(idKey),
    name,
    params: item.requireJson(field),
    isProviderExecuted: shape.isRemote === true,
    source: {
      idField: idKey === "call_id" ? undefined : idKey,
      field: field === shape.params[0] ? undefined : field,
    },
  } as const;
  reading.toolNames.set(String(item.peek(idKey)), name);
  if (asksUser(item)) reading.questions.add(String(item.peek(idKey)));
  const file = shape.file === undefined ? undefined : draftFile(item, shape.file);
  const source = { ...facts, rest: record.rest() };
  const message = messageEvent(reading.session, "assistant", { id, timestamp, source });
  const call: Draft = (event, partId) => toolCallPart(event, { id: partId, ...init });
  return [message, ...partEvents(message, file ? [call, file] : [call])];
}

function draftFile(item: SourceRecord, key: string): Draft | undefined {
  const content = item.base64(key);
  if (content === undefined) return undefined;
  // The record does not say what kind of file it is.
  const init = { provenance: "conversational", mediaType: undefined, content } as const;
  return (message, id) => filePart(message, { id, ...init });
}

/** Undefined if the message holds no call. */
export function restoreCall(message: Message, orders: KeyOrders): JsonObject | undefined {
  const parts = partsOf(message);
  const call = parts.find((part) => part.type === "tool_call");
  if (call === undefined) return undefined;
  const rest = restOf(sourceOf(message));
  const { payload } = rest;
  const type = (isJsonObject(payload) ? payload : rest)["type"] ?? call.name;
  const shape = shapes.get(String(type));
  const { idField, field } = sourceOf(call);
  const fields: Record<string, JsonValue> = {
    [shape?.isNamed ? "name" : "type"]: call.name,
    [textOr(idField, "call_id")]: call.call_id,
    [textOr(field, shape?.params[0] ?? "arguments")]: call.params,
  };
  const file = parts.find((part) => part.type === "file");
  if (file && file.data.type !== "url" && shape?.file !== undefined) {
    fields[shape.file] = base64Of(file.data);
  }
  return restoreEnvelope(message, fields, orders);
}

function textOr(value: JsonValue | undefined, usual: string): string {
  return typeof value === "string" ? value : usual;
}
