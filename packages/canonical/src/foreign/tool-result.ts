import { isUtf8 } from "node:buffer";
import { isJsonObject, type JsonObject, type JsonValue, stringifyJson } from "../json.ts";
import type { ToolResultPart } from "../part.ts";
import { objectAt } from "../seam/source-options.ts";
import { base64Bytes } from "./base64.ts";
import { dataUrlBytes, hasVisibleText, isTextType, namedFileNote } from "./content.ts";

/** A piece of a tool's answer, in a form that every client can show. */
export type ResultBlock = TextBlock | ImageBlock | FileBlock;

/** Text that a tool returned. */
export type TextBlock = { readonly type: "text"; readonly text: string };

/** An image that a tool returned. */
export type ImageBlock = {
  readonly type: "image";
  readonly mediaType: string;
  readonly base64: string;
};

/** A file of any other kind that a tool returned, such as a PDF. */
export type FileBlock = {
  readonly type: "file";
  readonly mediaType: string;
  readonly base64: string;
  readonly name?: string;
};

/** What {@link resultBlocks} understood of a result. */
export type ResultBlocks = {
  readonly blocks: readonly ResultBlock[];
  /** False if something became text that was not: JSON, a text file's content, a file's name. */
  readonly isWhole: boolean;
};

/**
 * Turns a result into blocks, from the shape that any client gives it: text, a list of blocks, or
 * JSON.
 */
export function resultBlocks(result: JsonValue): ResultBlocks {
  if (typeof result === "string") {
    return { blocks: result === "" ? [] : [{ type: "text", text: result }], isWhole: true };
  }
  if (Array.isArray(result)) {
    const elements = result.map(elementOf);
    return {
      blocks: elements.map(({ block }) => block),
      isWhole: elements.every(({ isWhole }) => isWhole),
    };
  }
  const inner = isJsonObject(result)
    ? (outputWithAttachments(result) ?? onlyContent(result))
    : undefined;
  return inner === undefined
    ? { blocks: [jsonBlock(result)], isWhole: false }
    : resultBlocks(inner);
}

/** A line that says which image or file a tool returned, where the file itself cannot stand. */
export function blockNote(block: ImageBlock | FileBlock): string {
  return block.type === "image"
    ? `[Image, ${block.mediaType}]`
    : namedFileNote(block.mediaType, block.name);
}

/** Stands in for an answer that was never recorded, because APIs accept no call without one. */
export const missingResultText = "No result of this call was recorded.";

/**
 * A result as blocks, for a place that cannot hold a result. The first block is text; it says which
 * call is answered. The rest of what can be shown follows.
 */
export function orphanBlocks(part: ToolResultPart): readonly [TextBlock, ...ResultBlock[]] {
  const { blocks } = resultBlocks(part.result);
  const seen = blocks.filter((block) => block.type !== "text" || hasVisibleText(block.text));
  const [first, ...others] = seen;
  const head = headOf(part);
  return first?.type === "text"
    ? [{ type: "text", text: `${head}${first.text}` }, ...others]
    : [{ type: "text", text: head }, ...seen];
}

/**
 * A result as one text, for places where nothing else can stand. Images and files become their
 * names.
 */
export function resultText(part: ToolResultPart): string {
  const { blocks } = resultBlocks(part.result);
  const texts = blocks.map((block) => (block.type === "text" ? block.text : blockNote(block)));
  return `${headOf(part)}${texts.join("\n")}`;
}

function headOf({ call_id, name }: ToolResultPart): string {
  return `Result of ${name ?? "a tool"} (${call_id}):\n`;
}

function jsonBlock(value: JsonValue): ResultBlock {
  return { type: "text", text: stringifyJson(value) };
}

/** The content of `{ content }` or `{ output }`, if nothing beside it says more. */
function onlyContent(result: JsonObject): string | readonly JsonValue[] | undefined {
  const entries = Object.entries(result).filter(([, value]) => value !== null);
  const [first, ...others] = entries;
  if (first === undefined || others.length > 0) return undefined;
  const [key, value] = first;
  if (key !== "content" && key !== "output") return undefined;
  return typeof value === "string" || Array.isArray(value) ? value : undefined;
}

/** The list that `{ output, attachments }` stands for. */
function outputWithAttachments({
  output,
  attachments,
  ...others
}: JsonObject): JsonValue[] | undefined {
  if (typeof output !== "string" || !Array.isArray(attachments)) return undefined;
  if (Object.keys(others).length > 0) return undefined;
  return [...(output === "" ? [] : [{ type: "text", text: output }]), ...attachments];
}

type Element = { readonly block: ResultBlock; readonly isWhole: boolean };

function elementOf(value: JsonValue): Element {
  const element = isJsonObject(value) ? (textElement(value) ?? fileElement(value)) : undefined;
  return element ?? { block: jsonBlock(value), isWhole: false };
}

function textElement({ type, text }: JsonObject): Element | undefined {
  const isText = type === "text" || type === "input_text" || type === "output_text";
  return isText && typeof text === "string"
    ? { block: { type: "text", text }, isWhole: true }
    : undefined;
}

/** A file, the text of a text file, or a line about a file whose bytes are missing. */
function fileElement(value: JsonObject): Element | undefined {
  const { type, filename, title, name } = value;
  if (typeof type !== "string" || !fileTypes.includes(type)) return undefined;
  const url = type === "input_image" ? value["image_url"] : (value["url"] ?? value["uri"]);
  const fileBytes = (typeof url === "string" ? inUrl(url) : undefined) ?? inFields(value);
  if (fileBytes === undefined) return undefined;
  const { mediaType } = fileBytes;
  const bytes = fileBytes.bytes && Buffer.from(fileBytes.bytes);
  const named = [filename, title, name].find((each) => typeof each === "string");
  const note = namedFileNote(mediaType, named);
  if (bytes === undefined) return { block: { type: "text", text: note }, isWhole: false };
  const base64 = bytes.toString("base64");
  if (mediaType.startsWith("image/")) {
    return { block: { type: "image", mediaType, base64 }, isWhole: true };
  }
  if (isTextType(mediaType) && isUtf8(bytes)) {
    return { block: { type: "text", text: `${note}\n${bytes.toString()}` }, isWhole: false };
  }
  const file = { type: "file", mediaType, base64 } as const;
  return { block: named === undefined ? file : { ...file, name: named }, isWhole: true };
}

/** The types under which clients and the Model Context Protocol put a file into a block. */
const fileTypes: readonly string[] = ["image", "input_image", "document", "audio", "file"];

/** A file that a block holds; `bytes` is undefined if the block's data is not base64. */
type FileBytes = { readonly mediaType: string; readonly bytes: Uint8Array | undefined };

function inFields(value: JsonObject): FileBytes | undefined {
  const source = objectAt(value, "source");
  const place = source["type"] === "base64" ? source : value;
  const mediaType = place["media_type"] ?? place["mimeType"];
  const { data } = place;
  if (typeof mediaType !== "string" || typeof data !== "string") return undefined;
  return { mediaType, bytes: base64Bytes(data) };
}

function inUrl(url: string): FileBytes | undefined {
  const [, mediaType] = /^data:([^;,]+)[^,]*;base64,/.exec(url) ?? [];
  return mediaType === undefined ? undefined : { mediaType, bytes: dataUrlBytes(url) };
}
