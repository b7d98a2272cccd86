import type { JsonValue, MessageEvent, PartEvent, Provenance } from "@pond/canonical";
import { isJsonObject } from "@pond/canonical";
import {
  filePart,
  positionId,
  reasoningPart,
  type SourceRecord,
  textPart,
  toolCallPart,
} from "@pond/canonical/adapter";

/** True if every block is of a kind that such a message has, with what it needs. */
export function areKnown(blocks: readonly JsonValue[], role: "user" | "assistant"): boolean {
  return blocks.every((block) => isKnown(block, kinds[role]));
}

const userKinds: readonly string[] = ["text", "image"];
const kinds = { user: userKinds, assistant: [...userKinds, "thinking", "toolCall"] };

const neededTexts: Readonly<Record<string, readonly string[]>> = {
  text: ["text"],
  image: ["data", "mimeType"],
  thinking: ["thinking"],
  toolCall: ["id", "name"],
};

function isKnown(block: JsonValue, known: readonly string[]): boolean {
  if (!isJsonObject(block)) return false;
  const type = block["type"];
  if (typeof type !== "string" || !known.includes(type)) return false;
  const hasTexts = (neededTexts[type] ?? []).every((key) => typeof block[key] === "string");
  return hasTexts && (type !== "toolCall" || "arguments" in block);
}

/** A known block as a part of its message. */
export function readBlock(
  message: MessageEvent,
  block: SourceRecord,
  index: number,
  provenance: Provenance,
): PartEvent {
  const common = { id: positionId(index), provenance };
  switch (block.peek("type")) {
    case "image": {
      const mediaType = block.requireString("mimeType");
      const content = block.base64("data");
      if (content === undefined) throw new TypeError("an image that was checked has no data");
      return filePart(message, { ...common, mediaType, content, source: { rest: block.rest() } });
    }
    case "thinking": {
      const text = block.requireString("thinking");
      return reasoningPart(message, { ...common, text, source: { rest: block.rest() } });
    }
    case "toolCall": {
      const callId = block.requireString("id");
      const name = block.requireString("name");
      const params = block.requireJson("arguments");
      const call = { callId, name, params, isProviderExecuted: false };
      return toolCallPart(message, { ...common, ...call, source: { rest: block.rest() } });
    }
    default: {
      const text = block.requireString("text");
      return textPart(message, { ...common, text, source: { rest: block.rest() } });
    }
  }
}
