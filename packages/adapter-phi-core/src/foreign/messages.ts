import { isUtf8 } from "node:buffer";
import {
  type FilePart,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Micros,
  type Session,
  type ToolResultPart,
} from "@pond/canonical";
import {
  type AssistantPart,
  type AssistantTurn,
  blockNote,
  type Call,
  type ContextPart,
  fileBytesOf,
  fileNote,
  hasOnlyUrl,
  hasVisibleText,
  isApiImage,
  mediaTypeOf,
  missingResultText,
  type Outcome,
  orphanBlocks,
  type ResultBlock,
  resultBlocks,
  type Tally,
  type Turn,
  toolName,
} from "@pond/canonical/foreign";
import { contextMark } from "../provenance.ts";
import { noUsage } from "./usage.ts";

/** A turn as messages of a loop: an answer to a call is a message of its own. */
export function messagesOfTurn(turn: Turn, session: Session, tally: Tally): readonly JsonObject[] {
  switch (turn.kind) {
    case "context":
      return turn.parts.flatMap((part) => {
        const content = contextBlocks(part, tally);
        return content.length > 0 ? [userMessage(content, turn.message.timestamp)] : [];
      });
    case "user": {
      const content = turn.parts.flatMap((part) => {
        return part.type === "text"
          ? textBlocks(part.text, "text", tally)
          : fileBlocks(part, tally);
      });
      return content.length > 0 ? [userMessage(content, turn.message.timestamp)] : [];
    }
    case "assistant":
      return assistantMessages(turn, session, tally);
  }
}

/** What the first answer answers in a session that begins with one. */
export function openingOf({ source_agent }: Session, timestamp: JsonValue): JsonObject {
  const text = `${contextMark}This session was restored from ${source_agent}.`;
  return { role: "user", content: [{ type: "text", text }], timestamp };
}

/** Each is a message of its own, so that the mark is at its beginning. */
function contextBlocks(part: ContextPart, tally: Tally): readonly JsonObject[] {
  if (part.type === "file") {
    const [block] = fileBlocks(part, tally);
    return [{ type: "text", text: contextMark }, ...(block ? [block] : [])];
  }
  if (part.type === "orphan") {
    tally.count("tool_result", "translated");
    const [head, ...others] = orphanBlocks(part.part);
    return [{ type: "text", text: `${contextMark}${head.text}` }, ...others.map(resultBlock)];
  }
  const isVisible = hasVisibleText(part.text);
  tally.count(part.type, isVisible ? "translated" : "dropped");
  const images = part.type === "system" ? part.images.map(resultBlock) : [];
  return isVisible ? [{ type: "text", text: `${contextMark}${part.text}` }, ...images] : [];
}

function textBlocks(text: string, type: "text" | "reasoning", tally: Tally): JsonObject[] {
  const isVisible = hasVisibleText(text);
  tally.count(type, isVisible ? "kept" : "dropped");
  if (!isVisible) return [];
  return [type === "text" ? { type, text } : { type: "thinking", thinking: text }];
}

function fileBlocks(part: FilePart, tally: Tally): JsonObject[] {
  const bytes = fileBytesOf(part);
  const mimeType = mediaTypeOf(part);
  if (bytes && bytes.length > 0 && isApiImage(mimeType)) {
    tally.count("file", "kept");
    return [{ type: "image", data: Buffer.from(bytes).toString("base64"), mimeType }];
  }
  const isText = bytes !== undefined && bytes.length > 0 && isUtf8(bytes);
  tally.count("file", isText || hasOnlyUrl(part) ? "translated" : "dropped");
  const said = isText ? `${fileNote(part)}\n${Buffer.from(bytes).toString()}` : fileNote(part);
  return [{ type: "text", text: said }];
}

function userMessage(content: readonly JsonObject[], at: Micros): JsonObject {
  return { role: "user", content, timestamp: millisOf(at) };
}

function assistantMessages(
  { message, model: named, parts }: AssistantTurn,
  session: Session,
  tally: Tally,
): readonly JsonObject[] {
  const content = parts.flatMap((part) => assistantBlocks(part, tally));
  if (content.length === 0) return [];
  const calls = parts.filter((part) => part.type === "call");
  const { model = "unknown", provider = session.source_agent } = named;
  const said = {
    role: "assistant",
    content,
    stopReason: calls.length > 0 ? "toolUse" : "stop",
    model,
    provider,
    usage: noUsage,
    timestamp: millisOf(message.timestamp),
  };
  return [said, ...calls.map((call) => answer(call, message.timestamp, tally))];
}

function assistantBlocks(part: AssistantPart, tally: Tally): readonly JsonObject[] {
  switch (part.type) {
    case "text":
    case "reasoning":
      return textBlocks(part.text, part.type, tally);
    case "file":
      if (!isApiImage(mediaTypeOf(part))) return fileBlocks(part, tally);
      // Providers refuse images in an answer.
      tally.count("file", hasOnlyUrl(part) ? "translated" : "dropped");
      return [{ type: "text", text: fileNote(part) }];
    case "call":
      return [callBlock(part, tally)];
  }
}

function callBlock({ part, callId, params }: Call, tally: Tally): JsonObject {
  const isKept = params === part.params && isJsonObject(params) && !part.provider_executed;
  tally.count("tool_call", isKept ? "kept" : "translated");
  const given = isJsonObject(params) ? params : { input: params };
  return { type: "toolCall", id: callId, name: toolName(part.name), arguments: given };
}

function answer({ part, callId, result }: Call, at: Micros, tally: Tally): JsonObject {
  const head = { role: "toolResult", toolCallId: callId, toolName: toolName(part.name) };
  if (result === undefined) {
    const content = [{ type: "text", text: missingResultText }];
    // The answer to a tool that the provider ran is in what the model said next.
    const isError = !part.provider_executed;
    return { ...head, content, isError, timestamp: millisOf(at) };
  }
  const { content, outcome } = resultContent(result.part);
  tally.count("tool_result", outcome);
  const { is_failure: isError } = result.part;
  return { ...head, content, isError, timestamp: millisOf(result.message.timestamp) };
}

function resultContent({ result }: ToolResultPart): {
  readonly content: readonly JsonObject[];
  readonly outcome: Outcome;
} {
  const { blocks, isWhole } = resultBlocks(result);
  const isKept = isWhole && blocks.every(isSupported);
  return { content: blocks.map(resultBlock), outcome: isKept ? "kept" : "translated" };
}

function isSupported(block: ResultBlock): boolean {
  return block.type === "text" || isApiImage(block.mediaType);
}

function resultBlock(block: ResultBlock): JsonObject {
  if (block.type === "text") return { type: "text", text: block.text };
  const { base64: data, mediaType: mimeType } = block;
  return isApiImage(mimeType)
    ? { type: "image", data, mimeType }
    : { type: "text", text: blockNote(block) };
}

function millisOf(at: Micros): number {
  return Math.max(0, Number(at / 1000n));
}
