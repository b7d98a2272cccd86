import { isUtf8 } from "node:buffer";
import type { FilePart, JsonObject } from "@pond/canonical";
import { isJsonObject } from "@pond/canonical";
import {
  type AssistantPart,
  blockNote,
  type Call,
  type ContextPart,
  dataUrlOf,
  type FileBlock,
  fileBytesOf,
  fileNote,
  firstCharacters,
  hasOnlyUrl,
  hasVisibleText,
  type ImageBlock,
  isApiImage,
  mediaTypeOf,
  missingResultText,
  orphanBlocks,
  type ResultBlock,
  resultBlocks,
  type Tally,
  toolName,
} from "@pond/canonical/foreign";
import { millisOf } from "../records/envelope.ts";
import { opencodeTools } from "../tools.ts";

/** A part of the client without the ids that place it. */
export type BarePart = JsonObject & { readonly type: string };

/** What the harness gave the model, or a human typed. */
export function userParts(part: ContextPart, isTyped: boolean, tally: Tally): readonly BarePart[] {
  switch (part.type) {
    case "system":
      return [...contextText(part.text, "system", tally), ...part.images.map(contextBlock)];
    case "orphan":
      tally.count("tool_result", "translated");
      return orphanBlocks(part.part).map(contextBlock);
    case "file":
      return fileParts(part, tally);
    case "text":
      if (!isTyped) return contextText(part.text, "text", tally);
      tally.count("text", hasVisibleText(part.text) ? "kept" : "dropped");
      return hasVisibleText(part.text) ? [{ type: "text", text: part.text }] : [];
  }
}

/** What the model said and did, in one step. */
export function assistantParts(
  part: AssistantPart,
  atMs: number,
  tally: Tally,
): readonly BarePart[] {
  switch (part.type) {
    case "call":
      return [toolPart(part, atMs, tally)];
    case "file":
      // The client has no place for an image that a model drew.
      tally.count("file", hasOnlyUrl(part) ? "translated" : "dropped");
      return [{ type: "text", text: fileNote(part) }];
    case "text":
    case "reasoning": {
      const isKept = hasVisibleText(part.text);
      tally.count(part.type, isKept ? "kept" : "dropped");
      const time = { start: atMs, end: atMs };
      return isKept ? [{ type: part.type, text: part.text, time }] : [];
    }
  }
}

/** Text that no human typed: the model sees it, but the list of messages does not show it. */
function contextText(text: string, counted: "system" | "text", tally: Tally): readonly BarePart[] {
  const isKept = hasVisibleText(text);
  // The client has harness text in such parts, too, so only other things change their kind.
  tally.count(counted, isKept ? (counted === "text" ? "kept" : "translated") : "dropped");
  return isKept ? [{ type: "text", text, synthetic: true }] : [];
}

/** A block of an answer that no call asked for. */
function contextBlock(block: ResultBlock): BarePart {
  if (isAttachable(block)) return { ...attachment(block), synthetic: true };
  const text = block.type === "text" ? block.text : blockNote(block);
  return { type: "text", text, synthetic: true };
}

/** Images and PDF files go to the model as they are, text as text, other files by name. */
function fileParts(part: FilePart, tally: Tally): readonly BarePart[] {
  const url = dataUrlOf(part);
  const mime = mediaTypeOf(part);
  const name = part.file_name === undefined ? {} : { filename: part.file_name };
  if (url !== undefined && isSupported(mime)) {
    tally.count("file", "kept");
    return [{ type: "file", mime, ...name, url }];
  }
  const bytes = fileBytesOf(part);
  const isText = bytes !== undefined && isUtf8(bytes);
  tally.count("file", isText || hasOnlyUrl(part) ? "translated" : "dropped");
  const text = isText ? `${fileNote(part)}\n${Buffer.from(bytes)}` : fileNote(part);
  return [{ type: "text", text, synthetic: true }];
}

/** The fields of a call's state that it has however it ended. */
type EndedState = { readonly input: JsonObject; readonly time: JsonObject };

/** A call with its answer in one part, as the client keeps them; every call has ended. */
function toolPart(
  { part, callId, params, common, result }: Call,
  atMs: number,
  tally: Tally,
): BarePart {
  const written = common && opencodeTools.write(common);
  const call = written ?? { name: toolName(part.name), params };
  const input = isJsonObject(call.params) ? call.params : { input: call.params };
  const isSame = call.name === part.name && input === part.params && !part.provider_executed;
  tally.count("tool_call", isSame ? "kept" : "translated");
  const endMs = result ? Math.max(atMs, millisOf(result.message.timestamp)) : atMs;
  const ended = { input, time: { start: atMs, end: endMs } };
  const head = { type: "tool", callID: callId, tool: call.name };
  if (result === undefined) {
    // The answer to a tool that the provider ran is in what the model said next.
    const state = part.provider_executed
      ? completed(call.name, ended, missingResultText)
      : { status: "error", ...ended, error: missingResultText };
    return { ...head, state };
  }

  const { blocks, isWhole } = resultBlocks(result.part.result);
  const isFailure = result.part.is_failure;
  // A failed call has a text and nothing else.
  const attached = isFailure ? [] : blocks.filter(isAttachable);
  const others = blocks.filter((block) => !attached.some((each) => each === block));
  const text = others
    .map((block) => (block.type === "text" ? block.text : blockNote(block)))
    .join("\n");
  const isCut = others.some(({ type }) => type !== "text") || (isFailure && text === "");
  tally.count("tool_result", isWhole && !isCut ? "kept" : "translated");
  if (isFailure) {
    return { ...head, state: { status: "error", ...ended, error: text || "(no output)" } };
  }
  const attachments = attached.map(attachment);
  const state = completed(call.name, ended, text);
  return { ...head, state: attachments.length > 0 ? { ...state, attachments } : state };
}

function completed(tool: string, ended: EndedState, output: string): JsonObject {
  const title = titleOf(tool, ended.input);
  return { status: "completed", ...ended, output, title, metadata: {} };
}

/** A file that a tool returned, in the client's form. */
function attachment(block: ImageBlock | FileBlock): BarePart {
  const { mediaType: mime, base64 } = block;
  const name = block.type === "file" && block.name !== undefined ? { filename: block.name } : {};
  return { type: "file", mime, ...name, url: `data:${mime};base64,${base64}` };
}

/** True for a file that the client gives to the model as it is. */
function isAttachable(block: ResultBlock): block is ImageBlock | FileBlock {
  return block.type !== "text" && isSupported(block.mediaType);
}

/** True for files that the client sends to the provider, which refuses other types. */
function isSupported(mediaType: string): boolean {
  return isApiImage(mediaType) || mediaType === "application/pdf";
}

/** The title that the client shows for a call. */
function titleOf(tool: string, input: JsonObject): string {
  for (const key of ["description", "filePath", "command", "pattern", "url", "query", "path"]) {
    const value = input[key];
    if (typeof value === "string" && value !== "") return firstCharacters(value, 100);
  }
  return tool;
}
