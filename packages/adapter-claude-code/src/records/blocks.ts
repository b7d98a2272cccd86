import type { FileContent, FilePart, JsonObject, JsonValue, Part } from "@pond/canonical";
import {
  type Extracted,
  fileBytes,
  filePart,
  type KeyOrders,
  objectAt,
  reasoningPart,
  restOf,
  type SourceRecord,
  sourceOf,
  toolCallPart,
  toolResultPart,
} from "@pond/canonical/adapter";
import { type Draft, draftText, type Speaker } from "./text.ts";

/** The place of a block, and who speaks there. */
type BlockPlace = {
  /** Position in the content array; undefined for the first, which is not recorded. */
  readonly block: number | undefined;
  readonly speaker: Speaker;
  readonly toolNames: Map<string, Extracted<string>>;
  readonly questions: Set<string>;
};

/** The tool by which a model asks the user. */
const asksUser = "AskUserQuestion";

type BlockReader = (block: SourceRecord, place: BlockPlace) => Draft[] | undefined;

const readers: Readonly<Record<string, BlockReader>> = {
  text: readText,
  thinking: readThinking,
  tool_use: (block, place) => readToolCall(block, place, false),
  server_tool_use: (block, place) => readToolCall(block, place, true),
  mcp_tool_use: (block, place) => readToolCall(block, place, true),
  image: readFile,
  document: readFile,
};

/** True for the answer to a tool call, including the provider's own tools. */
export function isToolResult(block: SourceRecord): boolean {
  const type = block.peek("type");
  return typeof type === "string" && /(?:^|_)tool_result$/.test(type);
}

/** The parts of one content block; undefined if it maps to none and has to be kept whole. */
export function readBlock(block: SourceRecord, place: BlockPlace): Draft[] | undefined {
  if (isToolResult(block)) return readToolResult(block, place);
  const type = block.peek("type");
  // Types come from the file, so `constructor` must not find a reader.
  const reader =
    typeof type === "string" && Object.hasOwn(readers, type) ? readers[type] : undefined;
  return reader?.(block, place);
}

/**
 * The block that a part came from. If a text was cut into parts, its block comes from the first
 * one.
 */
export function restoreBlock(part: Part, orders: KeyOrders): JsonObject {
  const source = sourceOf(part);
  const rest = restOf(source);
  switch (part.type) {
    case "text":
      return orders.join(rest, { text: part.text });
    case "reasoning":
      return orders.join(rest, { thinking: part.text });
    case "tool_call":
      return orders.join(rest, { id: part.call_id, name: part.name, input: part.params });
    case "tool_result": {
      const { saysSuccess } = source;
      const failure = part.is_failure || saysSuccess ? { is_error: part.is_failure } : {};
      return orders.join(rest, {
        tool_use_id: part.call_id,
        content: part.result,
        ...failure,
      });
    }
    case "file":
      return restoreFile(part, rest, orders);
    case "tool_approval_request":
    case "tool_approval_response":
      return rest;
  }
}

function readText(block: SourceRecord, { block: position, speaker }: BlockPlace) {
  const raw = block.peek("text");
  const text = block.string("text");
  if (text === undefined || typeof raw !== "string") return undefined;
  return draftText(text, raw, speaker, position, block.rest());
}

function readThinking(block: SourceRecord, place: BlockPlace): Draft[] | undefined {
  const text = block.string("thinking");
  if (text === undefined) return undefined;
  const provenance = place.speaker.injectedAs === undefined ? "conversational" : "injected";
  const source = { block: place.block, kind: place.speaker.injectedAs, rest: block.rest() };
  return [(message, id) => reasoningPart(message, { id, provenance, text, source })];
}

function readToolCall(
  block: SourceRecord,
  place: BlockPlace,
  isProviderExecuted: boolean,
): Draft[] | undefined {
  const call = block.peek("id");
  if (typeof call !== "string" || typeof block.peek("name") !== "string") return undefined;
  if (block.peek("input") === undefined) return undefined;
  const name = block.requireString("name");
  place.toolNames.set(call, name);
  if (block.peek("name") === asksUser) place.questions.add(call);
  const provenance = place.speaker.injectedAs === undefined ? "conversational" : "injected";
  const init = {
    provenance,
    callId: block.requireString("id"),
    name,
    params: block.requireJson("input"),
    isProviderExecuted,
    source: { block: place.block, kind: place.speaker.injectedAs, rest: block.rest() },
  } as const;
  return [(message, id) => toolCallPart(message, { id, ...init })];
}

function readToolResult(block: SourceRecord, place: BlockPlace): Draft[] | undefined {
  const call = block.peek("tool_use_id");
  if (typeof call !== "string" || block.peek("content") === undefined) return undefined;
  const isFailure = block.boolean("is_error");
  // "No error" and a missing field are one value in canonical and two in the source.
  const saysSuccess = block.peek("is_error") === false || undefined;
  const init = {
    provenance: "injected",
    callId: block.requireString("tool_use_id"),
    name: place.toolNames.get(call),
    isFailure,
    result: block.requireJson("content"),
    source: { block: place.block, saysSuccess, rest: block.rest() },
  } as const;
  return [(message, id) => toolResultPart(message, { id, ...init })];
}

function readFile(block: SourceRecord, place: BlockPlace): Draft[] | undefined {
  const source = block.record("source");
  if (source === undefined) return undefined;
  const content = readFileContent(source);
  if (content === undefined) return undefined;
  const { injectedAs } = place.speaker;
  const init = {
    provenance: injectedAs === undefined ? "conversational" : "injected",
    content,
    // A URL does not say its media type.
    mediaType: source.peek("type") === "url" ? undefined : source.string("media_type"),
    fileName: block.string("title"),
    source: { block: place.block, kind: injectedAs, rest: block.rest() },
  } as const;
  return [(message, id) => filePart(message, { id, ...init })];
}

/** Undefined for something that the client does not write; such a block is kept whole. */
function readFileContent(source: SourceRecord): Extracted<FileContent> | undefined {
  const type = source.peek("type");
  if (type === "url") return source.url("url");
  if (typeof source.peek("media_type") !== "string") return undefined;
  if (type === "base64") return source.base64("data");
  const text = source.peek("data");
  // A lone surrogate cannot be restored from bytes.
  if (type !== "text" || typeof text !== "string" || !text.isWellFormed()) return undefined;
  source.requireString("data");
  return fileBytes(Buffer.from(text));
}

function restoreFile(part: FilePart, rest: JsonObject, orders: KeyOrders): JsonObject {
  const source = objectAt(rest, "source");
  const title = part.file_name === undefined ? {} : { title: part.file_name };
  const content = orders.join(source, fileSource(part, source["type"]));
  return orders.join(rest, { ...title, source: content });
}

/** The fields of a file part's content, as the API writes them. */
function fileSource(
  { data, media_type }: FilePart,
  type: JsonValue | undefined,
): Readonly<Record<string, JsonValue>> {
  switch (data.type) {
    case "url":
      return { url: data.url };
    case "base64":
      return { media_type, data: data.text };
    case "bytes":
      return { media_type, data: encoded(data.bytes, type === "text" ? "utf8" : "base64") };
  }
}

function encoded(bytes: Uint8Array, encoding: "utf8" | "base64"): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(encoding);
}
