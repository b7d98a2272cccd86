import { isUtf8 } from "node:buffer";
import { isJsonObject, type JsonObject, type JsonValue, stringifyJson } from "../json.ts";
import type { ToolResultPart } from "../part.ts";
import { objectAt } from "../seam/source-options.ts";
import { isTextType, namedFileNote } from "./content.ts";

/** What a tool answered, as every client can show it. */
export type ResultBlock = { readonly type: "text"; readonly text: string } | ImageBlock | FileBlock;

/** An image that a tool gave. */
export type ImageBlock = {
  readonly type: "image";
  readonly mediaType: string;
  readonly base64: string;
};

/** A file of any other kind that a tool gave, such as a PDF. */
export type FileBlock = {
  readonly type: "file";
  readonly mediaType: string;
  readonly base64: string;
  readonly name?: string;
};

/** What {@link resultBlocks} understood of a result. */
export type ResultBlocks = {
  readonly blocks: readonly ResultBlock[];
  /** False where something became text that was none: JSON, or the text in a file. */
  readonly isWhole: boolean;
};

/** A result as blocks, from the shape any client gives it: text, a list of blocks, or JSON. */
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
  const inner = isJsonObject(result) ? (attached(result) ?? soleContent(result)) : undefined;
  return inner === undefined
    ? { blocks: [jsonBlock(result)], isWhole: false }
    : resultBlocks(inner);
}

/** A line that says which image or file a tool gave, where it cannot stand itself. */
export function blockNote(block: ImageBlock | FileBlock): string {
  return block.type === "image"
    ? `[Image, ${block.mediaType}]`
    : namedFileNote(block.mediaType, block.name);
}

/** What stands in place of an answer that was never recorded: APIs take no call without one. */
export const unanswered = "No result of this call was recorded.";

/** The text of a result, for a place where no result may stand. */
export function resultText({ call_id, name, result }: ToolResultPart): string {
  const text = typeof result === "string" ? result : stringifyJson(result);
  return `Result of ${name ?? "a tool"} (${call_id}):\n${text}`;
}

function jsonBlock(value: JsonValue): ResultBlock {
  return { type: "text", text: stringifyJson(value) };
}

/** What `{ content }` or `{ output }` holds, where nothing that says more stands beside it. */
function soleContent(result: JsonObject): string | readonly JsonValue[] | undefined {
  const entries = Object.entries(result).filter(([, value]) => value !== null);
  const [first, ...others] = entries;
  if (first === undefined || others.length > 0) return undefined;
  const [key, value] = first;
  if (key !== "content" && key !== "output") return undefined;
  return typeof value === "string" || Array.isArray(value) ? value : undefined;
}

/** The list that `{ output, attachments }` stands for. */
function attached({ output, attachments, ...others }: JsonObject): JsonValue[] | undefined {
  if (typeof output !== "string" || !Array.isArray(attachments)) return undefined;
  if (Object.keys(others).length > 0) return undefined;
  return [...(output === "" ? [] : [{ type: "text", text: output }]), ...attachments];
}

function elementOf(value: JsonValue): {
  readonly block: ResultBlock;
  readonly isWhole: boolean;
} {
  const block = isJsonObject(value) ? blockOf(value) : undefined;
  if (block === undefined) return { block: jsonBlock(value), isWhole: false };
  const text = block.type === "file" ? textInside(block) : undefined;
  return text === undefined
    ? { block, isWhole: true }
    : { block: { type: "text", text }, isWhole: false };
}

/** What a text file says, below its name. */
function textInside({ mediaType, base64, name }: FileBlock): string | undefined {
  const bytes = Buffer.from(base64, "base64");
  if (!isTextType(mediaType) || !isUtf8(bytes)) return undefined;
  return `${namedFileNote(mediaType, name)}\n${bytes.toString()}`;
}

function blockOf(value: JsonObject): ResultBlock | undefined {
  const { type, text } = value;
  if (typeof text === "string" && (type === "text" || isResponsesText(type))) {
    return { type: "text", text };
  }
  const url = type === "input_image" ? value["image_url"] : (value["url"] ?? value["uri"]);
  const place = (typeof url === "string" ? inUrl(url) : undefined) ?? inFields(value);
  const isFile = typeof type === "string" && fileTypes.includes(type);
  return isFile && place ? fileBlock(place, value) : undefined;
}

/** What clients and the Model Context Protocol call a block that is a file. */
const fileTypes: readonly string[] = ["image", "input_image", "document", "audio", "file"];

function isResponsesText(type: JsonValue | undefined): boolean {
  return type === "input_text" || type === "output_text";
}

type Encoded = { readonly mediaType: string; readonly base64: string };

function fileBlock(place: Encoded, { filename, title, name }: JsonObject): ResultBlock {
  if (place.mediaType.startsWith("image/")) return { type: "image", ...place };
  const named = [filename, title, name].find((each) => typeof each === "string");
  return { type: "file", ...place, ...(named !== undefined && { name: named }) };
}

function inFields(value: JsonObject): Encoded | undefined {
  const source = objectAt(value, "source");
  const place = source["type"] === "base64" ? source : value;
  const mediaType = place["media_type"] ?? place["mimeType"];
  const { data } = place;
  if (typeof mediaType !== "string" || typeof data !== "string" || data === "") return undefined;
  return { mediaType, base64: data };
}

function inUrl(url: string): Encoded | undefined {
  const match = /^data:([^;,]+)[^,]*;base64,(.+)$/s.exec(url);
  const [, mediaType, base64] = match ?? [];
  return mediaType && base64 ? { mediaType, base64 } : undefined;
}
