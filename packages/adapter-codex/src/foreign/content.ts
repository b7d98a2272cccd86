import { isUtf8 } from "node:buffer";
import type { FilePart, JsonObject, ToolResultPart } from "@pond/canonical";
import {
  dataUrlOf,
  fileBytesOf,
  fileNote,
  hasVisibleText,
  type Outcome,
  type ResultBlock,
  resultBlocks,
  wellFormed,
} from "@pond/canonical/foreign";

/** A content element of the API, and what became of the part it stands for. */
export type Written = { readonly element: JsonObject | undefined; readonly outcome: Outcome };

/** A text; one without a visible character says nothing. */
export function writeText(text: string): Written {
  const isVisible = hasVisibleText(text);
  return {
    element: isVisible ? textElement(text) : undefined,
    outcome: isVisible ? "kept" : "dropped",
  };
}

/** What a user gave: images as the API takes them, text files as text, others by name. */
export function writeFile(part: FilePart): Written {
  const bytes = fileBytesOf(part);
  const isImage = imageTypes.includes(part.media_type) && bytes !== undefined && bytes.length > 0;
  const url = isImage ? dataUrlOf(part) : undefined;
  if (url !== undefined) return { element: imageElement(url), outcome: "kept" };
  const note = fileNote(part);
  if (bytes && bytes.length > 0 && isUtf8(bytes) && isText(part.media_type)) {
    const text = `${note}\n${Buffer.from(bytes).toString("utf8")}`;
    return { element: textElement(text), outcome: "translated" };
  }
  const isElsewhere = bytes === undefined && part.data.type === "url";
  return { element: textElement(note), outcome: isElsewhere ? "translated" : "dropped" };
}

/** What a tool gave back: a text, or a list where there is more than one. */
export function writeOutput({ result, is_failure }: ToolResultPart): {
  readonly output: string | readonly JsonObject[];
  readonly outcome: Outcome;
} {
  const { blocks, isWhole } = resultBlocks(result);
  const texts = blocks.flatMap((block) => (block.type === "text" ? [wellFormed(block.text)] : []));
  const isPlain = texts.length === blocks.length && blocks.length <= 1;
  // The client has no place that says a call failed, so only the text can.
  const outcome = isWhole && !is_failure ? "kept" : "translated";
  return { output: isPlain ? (texts[0] ?? "") : blocks.map(outputElement), outcome };
}

function outputElement(block: ResultBlock): JsonObject {
  if (block.type === "text") return textElement(block.text);
  const { mediaType, base64 } = block;
  return imageTypes.includes(mediaType)
    ? imageElement(`data:${mediaType};base64,${base64}`)
    : textElement(`[Image, ${mediaType}]`);
}

/** A text given to the model. */
export function textElement(text: string): JsonObject {
  return { type: "input_text", text: wellFormed(text) };
}

function imageElement(url: string): JsonObject {
  return { type: "input_image", image_url: url };
}

function isText(mediaType: string): boolean {
  return mediaType.startsWith("text/") || mediaType === "application/json";
}

const imageTypes: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
