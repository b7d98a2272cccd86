import { isUtf8 } from "node:buffer";
import type { FilePart, JsonObject, ToolResultPart } from "@pond/canonical";
import {
  blockNote,
  fileBytesOf,
  fileNote,
  hasOnlyUrl,
  hasVisibleText,
  isApiImage,
  isTextType,
  mediaTypeOf,
  type ResultBlock,
  resultBlocks,
  type WrittenPart,
} from "@pond/canonical/foreign";

/** A text block; the API accepts none without a visible character. */
export function writeText(text: string): WrittenPart {
  const block = hasVisibleText(text) ? { type: "text", text } : undefined;
  return { block, outcome: block ? "kept" : "dropped" };
}

/** A user's file: images and documents as the API takes them, others by name. */
export function writeFile(part: FilePart): WrittenPart {
  const { file_name } = part;
  const media_type = mediaTypeOf(part);
  const bytes = bytesOf(part);
  const title = file_name === undefined ? {} : { title: file_name };
  if (bytes && isApiImage(media_type)) {
    const source = { type: "base64", media_type, data: bytes.toString("base64") };
    return { block: { type: "image", source }, outcome: "kept" };
  }
  if (bytes && media_type === pdf) {
    const source = { type: "base64", media_type, data: bytes.toString("base64") };
    return { block: { type: "document", source, ...title }, outcome: "kept" };
  }
  if (bytes && isUtf8(bytes) && isTextType(media_type)) {
    const source = { type: "text", media_type: "text/plain", data: bytes.toString() };
    return { block: { type: "document", source, ...title }, outcome: "translated" };
  }
  const outcome = hasOnlyUrl(part) ? "translated" : "dropped";
  return { block: { type: "text", text: fileNote(part) }, outcome };
}

/**
 * The answer to a call. The API takes text, images and PDF documents; everything else becomes text.
 */
export function writeResult(call: string, part: ToolResultPart): WrittenPart {
  const { blocks, isWhole } = resultBlocks(part.result);
  const known = blocks.map(resultBlock).filter((block) => block !== undefined);
  const [only] = blocks;
  // An error has to say something.
  const isSilent = part.is_failure && known.length === 0;
  const isText = blocks.length === 1 && only?.type === "text";
  const text = isSilent ? "(no output)" : isText ? only.text : known.length === 0 ? "" : undefined;
  const block = {
    type: "tool_result",
    tool_use_id: call,
    content: text ?? known,
    is_error: part.is_failure,
  };
  const isKept = isWhole && !isSilent && blocks.every(isSupported);
  return { block, outcome: isKept ? "kept" : "translated" };
}

function isSupported(block: ResultBlock): boolean {
  return block.type === "text" || isApiImage(block.mediaType) || block.mediaType === pdf;
}

/** A block of an answer; undefined if nothing of it is visible. */
export function resultBlock(block: ResultBlock): JsonObject | undefined {
  if (block.type === "text") return writeText(block.text).block;
  const { mediaType: media_type, base64: data } = block;
  const source = { type: "base64", media_type, data };
  if (isApiImage(media_type)) return { type: "image", source };
  if (media_type !== pdf) return { type: "text", text: blockNote(block) };
  const title = block.type === "file" && block.name !== undefined ? { title: block.name } : {};
  return { type: "document", source, ...title };
}

const pdf = "application/pdf";

function bytesOf(part: FilePart): Buffer | undefined {
  const bytes = fileBytesOf(part);
  return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
