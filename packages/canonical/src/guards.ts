import { isJsonObject } from "./json.ts";
import type { MessageHeader } from "./message.ts";
import type { FileContent, Part } from "./part.ts";
import type { Session } from "./session.ts";

// Hand-written, because they run on every ingested event and a schema takes microseconds. A guard
// may refuse what the schema would accept (the schema is then asked), but accepts nothing that it
// refuses.

type NamesOf<Model> = Model extends unknown ? keyof Model : never;
type Fields = {
  readonly [Name in NamesOf<Session | MessageHeader | Part | FileContent>]?: unknown;
};

export function isPlainSession(value: unknown): value is Session {
  if (!isFields(value)) return false;
  const { parent_session_id, parent_message_id } = value;
  const hasParent = parent_session_id !== undefined;
  const hasCut = parent_message_id !== undefined;
  return (
    isId(value.id) &&
    (!hasParent || isId(parent_session_id)) &&
    (!hasCut || (hasParent && isId(parent_message_id))) &&
    isNonEmptyText(value.source_agent) &&
    typeof value.created_at === "bigint" &&
    isNonEmptyText(value.project) &&
    isJsonObject(value.options) &&
    hasFields(value, 5 + Number(hasParent) + Number(hasCut))
  );
}

export function isPlainHeader(value: unknown): value is MessageHeader {
  if (!isFields(value)) return false;
  const { role } = value;
  const isSystem = role === "system";
  return (
    isId(value.id) &&
    isId(value.session_id) &&
    typeof value.timestamp === "bigint" &&
    isJsonObject(value.options) &&
    (isSystem
      ? typeof value.content === "string"
      : role === "user" || role === "assistant" || role === "tool") &&
    hasFields(value, isSystem ? 6 : 5)
  );
}

export function isPlainPart(value: unknown): value is Part {
  if (!isFields(value)) return false;
  const { provenance } = value;
  if (!isId(value.id) || !isId(value.session_id) || !isId(value.message_id)) return false;
  if (provenance !== "conversational" && provenance !== "injected") return false;
  if (!isJsonObject(value.options)) return false;
  const ownFields = variantFields(value);
  return ownFields !== undefined && hasFields(value, 6 + ownFields);
}

/** How many fields of its type the part has if all are valid; undefined if one is not. */
function variantFields(part: Fields): number | undefined {
  switch (part.type) {
    case "text":
    case "reasoning":
      return isText(part.text) ? 1 : undefined;
    case "file":
      if (!isText(part.media_type) || !isFileContent(part.data)) return undefined;
      return withOptionalText(part.file_name, 2);
    case "tool_call":
      return isText(part.call_id) &&
        isText(part.name) &&
        isJson(part.params) &&
        typeof part.provider_executed === "boolean"
        ? 4
        : undefined;
    case "tool_result":
      if (!isText(part.call_id) || !isJson(part.result)) return undefined;
      if (typeof part.is_failure !== "boolean") return undefined;
      return withOptionalText(part.name, 3);
    case "tool_approval_request":
      return isText(part.approval_id) && isText(part.tool_call_id) ? 2 : undefined;
    case "tool_approval_response":
      if (!isText(part.approval_id) || typeof part.approved !== "boolean") return undefined;
      return withOptionalText(part.reason, 2);
    default:
      return undefined;
  }
}

function withOptionalText(value: unknown, others: number): number | undefined {
  if (value === undefined) return others;
  return typeof value === "string" ? others + 1 : undefined;
}

function isFileContent(value: unknown): value is FileContent {
  if (!isFields(value)) return false;
  switch (value.type) {
    case "bytes":
      return value.bytes instanceof Uint8Array && hasFields(value, 2);
    case "base64":
      return isText(value.text) && hasFields(value, 2);
    case "url":
      return isText(value.url) && hasFields(value, 2);
    default:
      return false;
  }
}

/**
 * True if the value has exactly this many fields: with that many known ones present, there is no
 * other.
 */
function hasFields(value: Fields, count: number): boolean {
  let found = 0;
  for (const _ in value) found++;
  return found === count;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

function isId(value: unknown): boolean {
  return typeof value === "string" && value !== "" && value.isWellFormed();
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isNonEmptyText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function isJson(value: unknown): boolean {
  return value !== undefined && typeof value !== "bigint" && typeof value !== "function";
}
