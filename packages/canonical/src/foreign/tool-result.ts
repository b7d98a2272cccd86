import { isJsonObject, type JsonObject, type JsonValue, stringifyJson } from "../json.ts";
import type { ToolResultPart } from "../part.ts";
import { objectAt } from "../seam/source-options.ts";

/** What a tool answered, as every client can show it. */
export type ResultBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly mediaType: string; readonly base64: string };

/** What {@link resultBlocks} understood of a result. */
export type ResultBlocks = {
  readonly blocks: readonly ResultBlock[];
  /** False where something was no text or image, and became JSON text. */
  readonly isWhole: boolean;
};

/** A result as blocks, from the shape any client gives it: text, a list of blocks, or JSON. */
export function resultBlocks(result: JsonValue): ResultBlocks {
  if (typeof result === "string") {
    return { blocks: result === "" ? [] : [{ type: "text", text: result }], isWhole: true };
  }
  if (Array.isArray(result)) {
    const blocks = result.map((value: JsonValue) =>
      isJsonObject(value) ? blockOf(value) : undefined,
    );
    return {
      blocks: blocks.map((block, index) => block ?? jsonBlock(result[index])),
      isWhole: blocks.every((block) => block !== undefined),
    };
  }
  const inner = isJsonObject(result) ? (attached(result) ?? soleContent(result)) : undefined;
  return inner === undefined
    ? { blocks: [jsonBlock(result)], isWhole: false }
    : resultBlocks(inner);
}

/** What stands in place of an answer that was never recorded: APIs take no call without one. */
export const unanswered = "No result of this call was recorded.";

/** The text of a result, for a place where no result may stand. */
export function resultText({ call_id, name, result }: ToolResultPart): string {
  const text = typeof result === "string" ? result : stringifyJson(result);
  return `Result of ${name ?? "a tool"} (${call_id}):\n${text}`;
}

function jsonBlock(value: JsonValue | undefined): ResultBlock {
  return { type: "text", text: stringifyJson(value ?? null) };
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

function blockOf(value: JsonObject): ResultBlock | undefined {
  const { type, text } = value;
  if (typeof text === "string" && (type === "text" || isResponsesText(type))) {
    return { type: "text", text };
  }
  if (type === "image") return imageOf(value);
  const url =
    type === "input_image"
      ? value["image_url"]
      : type === "file"
        ? (value["url"] ?? value["uri"])
        : null;
  return typeof url === "string" ? imageInUrl(url) : undefined;
}

function isResponsesText(type: JsonValue | undefined): boolean {
  return type === "input_text" || type === "output_text";
}

function imageOf(value: JsonObject): ResultBlock | undefined {
  const source = objectAt(value, "source");
  const place = source["type"] === "base64" ? source : value;
  const mediaType = place["media_type"] ?? place["mimeType"];
  const { data } = place;
  if (typeof mediaType !== "string" || typeof data !== "string" || data === "") return undefined;
  return { type: "image", mediaType, base64: data };
}

function imageInUrl(url: string): ResultBlock | undefined {
  const match = /^data:(image\/[^;,]+)[^,]*;base64,(.+)$/s.exec(url);
  const [, mediaType, base64] = match ?? [];
  return mediaType && base64 ? { type: "image", mediaType, base64 } : undefined;
}
