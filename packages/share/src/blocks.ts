import { isJsonObject, isRawNumber, type JsonValue, stringifyJson } from "@pond/canonical";
import { fileText } from "./file-text.ts";
import type { SharedMessage, SharedPart } from "./shared-session.ts";
import { visibleLine } from "./visible.ts";

/** One piece of a tool call or tool result. */
export type Piece =
  | { readonly kind: "text"; readonly text: string; readonly name?: string }
  | { readonly kind: "json"; readonly text: string; readonly name?: string }
  | { readonly kind: "image"; readonly mediaType: string; readonly base64: string };

/** A part of a message, as both kinds of page show it. */
export type Block =
  | { readonly kind: "prose"; readonly text: string }
  /** Text beside the conversation: reasoning, text that the client inserted, a summary. */
  | { readonly kind: "aside"; readonly label: string; readonly text: string }
  /** The client replaced the conversation before this point by a summary. */
  | { readonly kind: "compaction" }
  | {
      readonly kind: "call";
      readonly callId: string;
      readonly name: string;
      /** One line that distinguishes this call from others. */
      readonly gist: string;
      /** True if the gist already says everything. */
      readonly isGistComplete: boolean;
      readonly pieces: readonly Piece[];
    }
  | {
      readonly kind: "result";
      readonly callId: string;
      readonly name: string | undefined;
      readonly isFailure: boolean;
      readonly pieces: readonly Piece[];
    }
  | {
      readonly kind: "file";
      readonly name: string;
      readonly mediaType: string;
      readonly content: FileContent;
    }
  /** A remark of the page about the message itself. */
  | { readonly kind: "note"; readonly text: string };

/** How a file is shown: as an image of a safe type, as text, by its URL, or by its size. */
type FileContent =
  | { readonly kind: "image"; readonly mediaType: string; readonly base64: string }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "bytes"; readonly count: number };

/** The blocks of a message; empty for records of the client that have nothing to show. */
export function blocksOf({ text = "", content = text, options, damaged }: SharedMessage): Block[] {
  // A damaged message never counts as a record with nothing to show: it did have something.
  if (damaged) return [{ kind: "note", text: "What this message held is lost in this store" }];
  if (typeof content !== "string") return content.flatMap((part) => blockOf(part));
  const isCompaction = sourceFact(options, "boundary") === "compaction";
  const prose: Block[] = content.trim() === "" ? [] : [{ kind: "prose", text: content }];
  return isCompaction ? [{ kind: "compaction" }, ...prose] : prose;
}

function blockOf(part: SharedPart): Block[] {
  switch (part.type) {
    case "text":
      if (part.text.trim() === "") return [];
      if (part.provenance === "conversational") return [{ kind: "prose", text: part.text }];
      return [{ kind: "aside", label: asideLabel(part), text: part.text }];
    case "reasoning":
      return [{ kind: "aside", label: "Thinking", text: part.text }];
    case "tool_call": {
      const { call_id: callId, name, params } = part;
      const gist = gistOf(params);
      const pieces = piecesOfCall(params);
      return [
        { kind: "call", callId, name, gist, isGistComplete: isGistComplete(pieces, gist), pieces },
      ];
    }
    case "tool_result": {
      const { call_id: callId, name, is_failure: isFailure, result } = part;
      return [{ kind: "result", callId, name, isFailure, pieces: piecesOfResult(result) }];
    }
    case "file":
      return [fileBlock(part)];
    case "tool_approval_request":
      return [{ kind: "note", text: "Asked whether the tool may run" }];
    case "tool_approval_response": {
      const reason = part.reason === undefined ? "" : `: ${part.reason}`;
      return [{ kind: "note", text: `${part.approved ? "Approved" : "Denied"}${reason}` }];
    }
  }
}

const asideNames: Readonly<Record<string, string>> = {
  "compact-summary": "Summary of what came before",
  compaction: "Summary of what came before",
  synthetic: "Said by the client",
};

function asideLabel({ options }: SharedPart): string {
  const kind = sourceFact(options, "kind");
  if (typeof kind !== "string") return "Put in by the client";
  return Object.hasOwn(asideNames, kind)
    ? (asideNames[kind] ?? kind)
    : `Put in by the client: ${kind}`;
}

function sourceFact(options: SharedMessage["options"], name: string): JsonValue | undefined {
  const source = options?.["source"];
  return isJsonObject(source) ? source[name] : undefined;
}

const gistFields = [
  "command",
  "file_path",
  "path",
  "pattern",
  "query",
  "url",
  "description",
  "prompt",
];

function gistOf(params: JsonValue): string {
  if (typeof params === "string") return visibleLine(params, 120);
  if (!isJsonObject(params) || isRawNumber(params)) return "";
  const names = [...gistFields, ...Object.keys(params).slice(0, 20)];
  const name = names.find(
    (each) => Object.hasOwn(params, each) && typeof params[each] === "string",
  );
  return name === undefined ? "" : visibleLine(String(params[name]), 120);
}

function isGistComplete(pieces: readonly Piece[], gist: string): boolean {
  const [only] = pieces;
  if (only === undefined) return true;
  return pieces.length === 1 && only.kind === "text" && only.text === gist;
}

function piecesOfCall(params: JsonValue): Piece[] {
  if (!isJsonObject(params) || isRawNumber(params)) return [pieceOf(params)];
  return Object.entries(params).map(([name, value]) => ({ ...pieceOf(value), name }));
}

function piecesOfResult(result: JsonValue): Piece[] {
  // The shape that model APIs share: a list of texts and images.
  const items = Array.isArray(result) ? result : [result];
  return items
    .map((item) => contentItem(item) ?? pieceOf(item))
    .filter((piece) => piece.kind === "image" || piece.text !== "");
}

function contentItem(item: JsonValue): Piece | undefined {
  if (!isJsonObject(item) || isRawNumber(item)) return undefined;
  const { type, text, source } = item;
  if (type === "text" && typeof text === "string") return { kind: "text", text };
  if (type !== "image") return undefined;
  const image = isJsonObject(source) && !isRawNumber(source) ? source : item;
  const { media_type, mimeType, data } = image;
  const mediaType = typeof media_type === "string" ? media_type : mimeType;
  if (typeof mediaType !== "string" || typeof data !== "string") return undefined;
  return isSafeImage(mediaType, data) ? { kind: "image", mediaType, base64: data } : undefined;
}

function pieceOf(value: JsonValue): { kind: "text" | "json"; text: string } {
  return typeof value === "string"
    ? { kind: "text", text: value }
    : { kind: "json", text: indentedJson(value) };
}

function indentedJson(value: JsonValue): string {
  try {
    return JSON.stringify(value, null, 2);
  } catch {
    // Nested deeper than the call stack.
    return stringifyJson(value);
  }
}

function fileBlock(part: Extract<SharedPart, { type: "file" }>): Block {
  const { media_type: mediaType, file_name, data } = part;
  return {
    kind: "file",
    name: file_name ?? mediaType,
    mediaType,
    content: fileContentOf(mediaType, data),
  };
}

function fileContentOf(
  mediaType: string,
  data: Extract<SharedPart, { type: "file" }>["data"],
): FileContent {
  if (data.type === "url") return { kind: "url", url: data.url };
  const base64 = data.type === "bytes" ? data.base64 : data.text;
  if (isSafeImage(mediaType, base64)) return { kind: "image", mediaType, base64 };
  const text = /^(?:image|audio|video|font)\//i.test(mediaType) ? undefined : fileText(base64);
  return text === undefined
    ? { kind: "bytes", count: Buffer.from(base64, "base64").length }
    : // Nobody reads a byte order mark.
      { kind: "text", text: text.replace(/^\ufeff/, "") };
}

/** Only raster images are safe: an SVG is a document, which may hold scripts and fetch things. */
function isSafeImage(mediaType: string, base64: string): boolean {
  return /^image\/(?:png|jpeg|gif|webp)$/.test(mediaType) && /^[A-Za-z0-9+/]+={0,2}$/.test(base64);
}
