import { isUtf8 } from "node:buffer";
import type { FilePart, JsonObject, ToolResultPart } from "@pond/canonical";
import {
  fileBytesOf,
  fileNote,
  hasVisibleText,
  type Outcome,
  resultBlocks,
} from "@pond/canonical/foreign";

/** A content block, and what became of the part it stands for. */
export type Written = { readonly block: JsonObject | undefined; readonly outcome: Outcome };

/** A text block; providers take none without a visible character. */
export function writeText(text: string): Written {
  if (!hasVisibleText(text)) return { block: undefined, outcome: "dropped" };
  return { block: { type: "text", text: text }, outcome: "kept" };
}

/** A file: images as the clients take them, texts in the words of the clients, others by name. */
export function writeFile(part: FilePart): Written {
  const bytes = fileBytesOf(part);
  if (bytes && imageTypes.includes(part.media_type) && bytes.length > 0) {
    const data = Buffer.from(bytes).toString("base64");
    return { block: { type: "image", data, mimeType: part.media_type }, outcome: "kept" };
  }
  const note = { type: "text", text: fileNote(part) };
  if (bytes === undefined) return { block: note, outcome: "translated" };
  if (!isText(part.media_type) || !isUtf8(bytes)) return { block: note, outcome: "dropped" };
  const text = `${note.text}\n${Buffer.from(bytes).toString()}`;
  return { block: { type: "text", text }, outcome: "translated" };
}

const imageTypes: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

function isText(mediaType: string): boolean {
  return mediaType.startsWith("text/") || mediaType === "application/json";
}

/** The answer of a tool: text and images; all else becomes JSON text. */
export function writeResult(part: ToolResultPart): {
  readonly content: readonly JsonObject[];
  readonly outcome: Outcome;
} {
  const { blocks, isWhole } = resultBlocks(part.result);
  let isKept = isWhole;
  const content = blocks.flatMap((block): JsonObject[] => {
    if (block.type === "text") return [{ type: "text", text: block.text }];
    const { base64: data, mediaType: mimeType } = block;
    if (imageTypes.includes(mimeType)) return [{ type: "image", data, mimeType }];
    isKept = false;
    return [{ type: "text", text: `[Image, ${mimeType}]` }];
  });
  return { content, outcome: isKept ? "kept" : "translated" };
}
