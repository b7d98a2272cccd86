import {
  allowedParts,
  type FilePart,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonEqual,
  type Message,
  type Part,
  type PartId,
  partsOf,
} from "@pond/canonical";
import { dataUrlOf } from "@pond/canonical/foreign";

/**
 * The parts of a message whose content an edit of the context replaced. Parts that the edit left
 * unchanged are the message's own. Blocks without a part are left out, as in any message.
 */
export function editedParts(message: Message, content: JsonValue): readonly Part[] {
  const own = partsOf(message);
  if (message.role === "tool") return own.map((part) => withResult(part, content));
  const isTyped = own.some(({ provenance }) => provenance === "conversational");
  return blocksOf(content).flatMap((block, index) => {
    const part = partOf(block, {
      id: `edited-${index}` as PartId,
      session_id: message.session_id,
      message_id: message.id,
      provenance: isTyped ? "conversational" : "injected",
      options: {},
    });
    if (part === undefined || !allowedParts[message.role].includes(part.type)) return [];
    return own.find((each) => isSame(each, part)) ?? part;
  });
}

function withResult(part: Part, result: JsonValue): Part {
  if (part.type !== "tool_result" || jsonEqual(part.result, result)) return part;
  return { ...part, result };
}

function blocksOf(content: JsonValue): readonly JsonObject[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter(isJsonObject) : [];
}

type PartBase = Pick<Part, "id" | "session_id" | "message_id" | "provenance" | "options">;

function partOf(block: JsonObject, base: PartBase): Part | undefined {
  const { type, text, thinking, data, mimeType, id, name, arguments: params } = block;
  if (type === "text" && typeof text === "string") return { ...base, type, text };
  if (type === "thinking" && typeof thinking === "string") {
    return { ...base, type: "reasoning", text: thinking };
  }
  if (type === "image" && typeof data === "string" && typeof mimeType === "string") {
    return { ...base, type: "file", media_type: mimeType, data: { type: "base64", text: data } };
  }
  if (type === "toolCall" && typeof id === "string" && typeof name === "string") {
    const call = { call_id: id, name, params: params ?? {}, provider_executed: false };
    return { ...base, type: "tool_call", ...call };
  }
  return undefined;
}

function isSame(own: Part, part: Part): boolean {
  switch (part.type) {
    case "text":
    case "reasoning":
      return own.type === part.type && own.text === part.text;
    case "file":
      return own.type === "file" && contentOf(own) === contentOf(part);
    case "tool_call":
      return (
        own.type === "tool_call" &&
        own.call_id === part.call_id &&
        jsonEqual(own.params, part.params)
      );
    default:
      return false;
  }
}

/** Two images that cannot be read are equal if they say the same. */
function contentOf(part: FilePart): string | undefined {
  const { data } = part;
  const said = data.type === "base64" ? data.text : data.type === "url" ? data.url : undefined;
  return dataUrlOf(part) ?? said;
}
