import { isUtf8 } from "node:buffer";
import type { FilePart, JsonObject, ToolResultPart } from "@pond/canonical";
import {
  blockNote,
  dataUrlOf,
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
  wellFormed,
} from "@pond/canonical/foreign";

/** A text; one without a visible character says nothing. */
export function writeText(text: string): WrittenPart {
  const isVisible = hasVisibleText(text);
  return {
    block: isVisible ? textElement(text) : undefined,
    outcome: isVisible ? "kept" : "dropped",
  };
}

/** A user's file: images as the API takes them, text files as text, others by name. */
export function writeFile(part: FilePart): WrittenPart {
  const bytes = fileBytesOf(part);
  const mediaType = mediaTypeOf(part);
  const isImage = isApiImage(mediaType) && bytes !== undefined && bytes.length > 0;
  const url = isImage ? dataUrlOf(part) : undefined;
  if (url !== undefined) return { block: imageElement(url), outcome: "kept" };
  const note = fileNote(part);
  if (bytes && bytes.length > 0 && isUtf8(bytes) && isTextType(mediaType)) {
    const text = `${note}\n${Buffer.from(bytes).toString("utf8")}`;
    return { block: textElement(text), outcome: "translated" };
  }
  return { block: textElement(note), outcome: hasOnlyUrl(part) ? "translated" : "dropped" };
}

/** A tool's output: a text, or a list if there is more than one piece. */
export function writeOutput({ result, is_failure }: ToolResultPart): {
  readonly output: string | readonly JsonObject[];
  readonly outcome: Outcome;
} {
  const { blocks, isWhole } = resultBlocks(result);
  const texts = blocks.flatMap((block) => (block.type === "text" ? [wellFormed(block.text)] : []));
  const isPlain = texts.length === blocks.length && blocks.length <= 1;
  // The client has no field for a failed call, so only the text can say it.
  const isKept = isWhole && !is_failure && blocks.every(isSupported);
  const outcome = isKept ? "kept" : "translated";
  return { output: isPlain ? (texts[0] ?? "") : blocks.map(outputElement), outcome };
}

function isSupported(block: ResultBlock): boolean {
  return block.type === "text" || isApiImage(block.mediaType);
}

function outputElement(block: ResultBlock): JsonObject {
  if (block.type === "text") return textElement(block.text);
  const { mediaType, base64 } = block;
  return isApiImage(mediaType)
    ? imageElement(`data:${mediaType};base64,${base64}`)
    : textElement(blockNote(block));
}

/** A text given to the model. */
export function textElement(text: string): JsonObject {
  return { type: "input_text", text: wellFormed(text) };
}

function imageElement(url: string): JsonObject {
  return { type: "input_image", image_url: url };
}
