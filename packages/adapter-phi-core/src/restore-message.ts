import type { JsonObject, Message, Part } from "@pond/canonical";
import { isJsonObject, partsOf } from "@pond/canonical";
import { restOf, sourceOf } from "@pond/canonical/adapter";

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
