import type { CanonicalEvent, JsonObject, JsonValue, Message } from "@pond/canonical";
import { isJsonObject, partsOf } from "@pond/canonical";
import {
  objectAt,
  openRecord,
  type SourceRecord,
  sourceOf,
  toolResultPart,
} from "@pond/canonical/adapter";
import type { NormalizedEntry } from "../migration.ts";
import type { Blobs } from "./blobs.ts";
import type { Reading } from "./reading.ts";
import { messageOf } from "./turn.ts";
import { typedAnswersIn } from "./typed-answers.ts";

/** The answer of a tool. Undefined if it does not say to which call. */
export function readToolResult(
  entry: NormalizedEntry,
  message: SourceRecord,
  reading: Reading,
): CanonicalEvent[] | undefined {
  // The earliest files have text under another key.
  const field = message.peek("content") === undefined ? "output" : "content";
  const raw = message.peek(field);
  const call = message.peek("toolCallId");
  if (raw === undefined || typeof call !== "string") return undefined;
  const typed = typedAnswersIn(message);
  const saysSuccess = message.peek("isError") === false || undefined;
  const { result, refs } = readImages(raw, message, reading.blobs);
  const known = message.requireJson(field);
  const init = {
    provenance: "injected",
    callId: message.requireString("toolCallId"),
    isFailure: message.boolean("isError"),
    result: refs === undefined ? known : openRecord(message.at, { result }).requireJson("result"),
    source: {
      field: field === "output" ? field : undefined,
      saysSuccess,
      isNamed: typeof message.peek("toolName") === "string" ? undefined : false,
      blobs: refs && openRecord(message.at, { refs }).requireJson("refs"),
    },
  } as const;
  const name = message.string("toolName") ?? reading.toolNames.get(call);
  return messageOf(
    entry,
    { role: "tool" },
    [(event, id) => toolResultPart(event, { id, name, ...init })],
    reading,
    typed,
  );
}

/** The result with the bytes of its images in place of references to them. */
function readImages(
  content: JsonValue,
  at: SourceRecord,
  blobs: Blobs,
): { readonly result: JsonValue; readonly refs: JsonObject | undefined } {
  const refs: { [position: string]: JsonValue } = {};
  if (!Array.isArray(content)) return { result: content, refs: undefined };
  const result = content.map((block: JsonValue, index) => {
    const ref = isJsonObject(block) && block["type"] === "image" ? block["data"] : undefined;
    const data = typeof ref === "string" ? blobs.base64(ref, at) : undefined;
    if (!isJsonObject(block) || typeof ref !== "string" || data === undefined) return block;
    refs[index] = ref;
    return { ...block, data };
  });
  return { result, refs: Object.keys(refs).length > 0 ? refs : undefined };
}

/** The fields of the message that an answer came from. */
export function restoreResult(message: Message): JsonObject {
  const [part] = partsOf(message);
  if (part?.type !== "tool_result") return {};
  const source = sourceOf(part);
  const isNamed = part.name !== undefined && source["isNamed"] !== false;
  return {
    toolCallId: part.call_id,
    ...(isNamed && { toolName: part.name }),
    [source["field"] === "output" ? "output" : "content"]: withReferences(part.result, source),
    ...((part.is_failure || source["saysSuccess"] === true) && { isError: part.is_failure }),
  };
}

function withReferences(result: JsonValue, source: JsonObject): JsonValue {
  if (!Array.isArray(result)) return result;
  const refs = objectAt(source, "blobs");
  return result.map((block: JsonValue, index) => {
    const data = refs[index];
    return data !== undefined && isJsonObject(block) ? { ...block, data } : block;
  });
}
