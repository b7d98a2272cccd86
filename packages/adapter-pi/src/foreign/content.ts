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
  type Outcome,
  type ResultBlock,
  resultBlocks,
  type WrittenPart,
} from "@pond/canonical/foreign";

/** A text block; providers accept none without a visible character. */
export function writeText(text: string): WrittenPart {
  if (!hasVisibleText(text)) return { block: undefined, outcome: "dropped" };
  return { block: { type: "text", text }, outcome: "kept" };
}

/** A file: images as the clients take them, texts in the clients' own form, others by name. */
export function writeFile(part: FilePart): WrittenPart {
  const bytes = fileBytesOf(part);
  const mimeType = mediaTypeOf(part);
  if (bytes && isApiImage(mimeType)) {
    const data = Buffer.from(bytes).toString("base64");
    return { block: { type: "image", data, mimeType }, outcome: "kept" };
  }
  const note = { type: "text", text: fileNote(part) };
  if (hasOnlyUrl(part)) return { block: note, outcome: "translated" };
  if (!bytes || !isTextType(mimeType) || !isUtf8(bytes)) return { block: note, outcome: "dropped" };
  const text = `${note.text}\n${Buffer.from(bytes).toString()}`;
  return { block: { type: "text", text }, outcome: "translated" };
}

/** The answer of a tool: text and images; everything else becomes JSON text. */
export function writeResult(part: ToolResultPart): {
  readonly content: readonly JsonObject[];
  readonly outcome: Outcome;
} {
  const { blocks, isWhole } = resultBlocks(part.result);
  const isKept = isWhole && blocks.every(isSupported);
  return { content: blocks.map(resultBlock), outcome: isKept ? "kept" : "translated" };
}

function isSupported(block: ResultBlock): boolean {
  return block.type === "text" || isApiImage(block.mediaType);
}

/** A block of an answer; what the clients have no block for is named. */
export function resultBlock(block: ResultBlock): JsonObject {
  if (block.type === "text") return { type: "text", text: block.text };
  const { base64: data, mediaType: mimeType } = block;
  return isApiImage(mimeType)
    ? { type: "image", data, mimeType }
    : { type: "text", text: blockNote(block) };
}
