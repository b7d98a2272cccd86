import { isUtf8 } from "node:buffer";
import type { FilePart, JsonObject, JsonValue, ToolResultPart } from "@pond/canonical";
import { isJsonObject, stringifyJson } from "@pond/canonical";
import type { Outcome } from "./tally.ts";

/** A content block of the API, and what became of the part it stands for. */
export type Written = { readonly block: JsonObject | undefined; readonly outcome: Outcome };

/** A text block; the API takes none without a visible character. */
export function writeText(text: string): Written {
  const block = text.trim() === "" ? undefined : { type: "text", text };
  return { block, outcome: block ? "kept" : "dropped" };
}

/** What a user gave: images and documents as the API takes them, others by name. */
export function writeFile(part: FilePart): Written {
  const { media_type, file_name } = part;
  const bytes = bytesOf(part);
  const title = file_name === undefined ? {} : { title: file_name };
  if (bytes && imageTypes.includes(media_type)) {
    const source = { type: "base64", media_type, data: bytes.toString("base64") };
    return { block: { type: "image", source }, outcome: "kept" };
  }
  if (bytes && media_type === "application/pdf") {
    const source = { type: "base64", media_type, data: bytes.toString("base64") };
    return { block: { type: "document", source, ...title }, outcome: "kept" };
  }
  if (bytes && bytes.length > 0 && isUtf8(bytes) && isText(media_type)) {
    const source = { type: "text", media_type: "text/plain", data: bytes.toString() };
    return { block: { type: "document", source, ...title }, outcome: "translated" };
  }
  if (part.data.type === "url" && !part.data.url.startsWith("data:")) {
    return { block: { type: "text", text: `[File: ${part.data.url}]` }, outcome: "translated" };
  }
  return { block: fileNote(part), outcome: "dropped" };
}

/** A line that says which file stood here. */
export function fileNote({ media_type, file_name }: FilePart): JsonObject {
  return { type: "text", text: `[File ${file_name ?? "without a name"}, ${media_type}]` };
}

/** The answer to a call. The API takes text, or text and image blocks; all else becomes JSON text. */
export function writeResult(call: string, part: ToolResultPart): Written {
  const content = resultBlocks(part.result);
  // An error must say something.
  const isSilent = part.is_failure && (content === undefined || content.length === 0);
  const block = {
    type: "tool_result",
    tool_use_id: call,
    content: isSilent ? "(no output)" : (content ?? stringifyJson(part.result)),
    is_error: part.is_failure,
  };
  return { block, outcome: content === undefined || isSilent ? "translated" : "kept" };
}

/** The text of a result, for a place where no result may stand. */
export function resultText({ call_id, name, result }: ToolResultPart): string {
  const text = typeof result === "string" ? result : stringifyJson(result);
  return `Result of ${name ?? "a tool"} (${call_id}):\n${text}`;
}

function resultBlocks(result: JsonValue): string | readonly JsonObject[] | undefined {
  if (typeof result === "string") return result;
  if (!Array.isArray(result)) return undefined;
  const blocks = result.map((value: JsonValue) =>
    isJsonObject(value) ? resultBlock(value) : undefined,
  );
  const known = blocks.filter((block) => block !== undefined);
  return known.length === blocks.length ? known : undefined;
}

function resultBlock(value: JsonObject): JsonObject | undefined {
  const { type, text, source, data } = value;
  if (type === "text" && typeof text === "string")
    return text.trim() === "" ? undefined : { type, text };
  if (type !== "image") return undefined;
  if (isJsonObject(source)) return isImageSource(source) ? { type, source } : undefined;
  const { mimeType = value["media_type"] } = value;
  const flat: JsonObject = { type: "base64", media_type: mimeType ?? "", data: data ?? "" };
  return isImageSource(flat) ? { type, source: flat } : undefined;
}

function isImageSource({ type, media_type, data }: JsonObject): boolean {
  const isKnown = typeof media_type === "string" && imageTypes.includes(media_type);
  return type === "base64" && isKnown && typeof data === "string" && data !== "";
}

function bytesOf({ data }: FilePart): Buffer | undefined {
  switch (data.type) {
    case "bytes":
      return Buffer.from(data.bytes.buffer, data.bytes.byteOffset, data.bytes.byteLength);
    case "base64":
      return Buffer.from(data.text, "base64");
    case "url": {
      const inline = /^data:[^,]*;base64,(.*)$/s.exec(data.url)?.[1];
      return inline === undefined ? undefined : Buffer.from(inline, "base64");
    }
  }
}

function isText(mediaType: string): boolean {
  return mediaType.startsWith("text/") || mediaType === "application/json";
}

const imageTypes: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
