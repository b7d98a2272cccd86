import * as v from "valibot";
import {
  type MessageId,
  messageIdSchema,
  type PartId,
  partIdSchema,
  type SessionId,
  sessionIdSchema,
} from "./ids.ts";
import { type JsonObject, type JsonValue, jsonObjectSchema, jsonValueSchema } from "./json.ts";

/**
 * Extensible bag of fields: `source.*` for facts of the source, `<provider>.*` for extensions,
 * `pond.*` for pond's own.
 */
export type ProviderOptions = JsonObject;

/**
 * Whether a Part belongs to the conversation or was inserted by the harness
 * (`model-part-provenance`).
 */
export type Provenance = "conversational" | "injected";

/** @inline */
type BasePart = {
  readonly id: PartId;
  readonly session_id: SessionId;
  readonly message_id: MessageId;
  readonly provenance: Provenance;
  /** What the source kept besides the typed fields. */
  readonly options: ProviderOptions;
};

/** Text that somebody said or the harness inserted. */
export type TextPart = BasePart & { readonly type: "text"; readonly text: string };

/** What the model thought. Never searched (spec 8). */
export type ReasoningPart = BasePart & { readonly type: "reasoning"; readonly text: string };

/** What a file part holds: its bytes, text that is not canonical base64, or the file's address. */
export type FileContent =
  | { readonly type: "bytes"; readonly bytes: Uint8Array }
  | { readonly type: "base64"; readonly text: string }
  | { readonly type: "url"; readonly url: string };

/** A file, an image or a recording. `media_type` is generic if the source names none. */
export type FilePart = BasePart & {
  readonly type: "file";
  readonly media_type: string;
  /** The source's name for the file. It is not a path that can be opened. */
  readonly file_name?: string;
  readonly data: FileContent;
};

/** A tool call of the model. `provider_executed` is true if the model's provider ran the tool. */
export type ToolCallPart = BasePart & {
  readonly type: "tool_call";
  /** Matches the `call_id` of the result. */
  readonly call_id: string;
  readonly name: string;
  /** As the model wrote them: often an object, sometimes JSON text of one. */
  readonly params: JsonValue;
  readonly provider_executed: boolean;
};

/** The answer of a tool. `is_failure` is false if the source does not say. */
export type ToolResultPart = BasePart & {
  readonly type: "tool_result";
  /** Matches the `call_id` of the call. */
  readonly call_id: string;
  /** Absent if neither the result nor a call in the session names it (`model-schema-honesty`). */
  readonly name?: string;
  readonly is_failure: boolean;
  /** In the shape that the client gave it. */
  readonly result: JsonValue;
};

/** A tool call that waits for a human's permission. */
export type ToolApprovalRequestPart = BasePart & {
  readonly type: "tool_approval_request";
  /** Matches the `approval_id` of the response. */
  readonly approval_id: string;
  /** The `call_id` of the waiting call. */
  readonly tool_call_id: string;
};

/** The human's reply to the request with the same `approval_id`. */
export type ToolApprovalResponsePart = BasePart & {
  readonly type: "tool_approval_response";
  /** Matches the `approval_id` of the request. */
  readonly approval_id: string;
  readonly approved: boolean;
  readonly reason?: string;
};

/** One piece of a message (spec 4.7). */
export type Part =
  | TextPart
  | ReasoningPart
  | FilePart
  | ToolCallPart
  | ToolResultPart
  | ToolApprovalRequestPart
  | ToolApprovalResponsePart;

/** The type names of parts. */
export type PartType = Part["type"];

const base = {
  id: partIdSchema,
  session_id: sessionIdSchema,
  message_id: messageIdSchema,
  provenance: v.picklist(["conversational", "injected"]),
  options: jsonObjectSchema,
};

const fileContentSchema = v.variant("type", [
  v.strictObject({ type: v.literal("bytes"), bytes: v.instance(Uint8Array) }),
  v.strictObject({ type: v.literal("base64"), text: v.string() }),
  v.strictObject({ type: v.literal("url"), url: v.string() }),
]);

/** Checks one Part. Strict: a field that the model does not name is an error, not a silent drop. */
export const partSchema: v.GenericSchema<unknown, Part> = v.variant("type", [
  v.strictObject({ ...base, type: v.literal("text"), text: v.string() }),
  v.strictObject({ ...base, type: v.literal("reasoning"), text: v.string() }),
  v.strictObject({
    ...base,
    type: v.literal("file"),
    media_type: v.string(),
    file_name: v.exactOptional(v.string()),
    data: fileContentSchema,
  }),
  v.strictObject({
    ...base,
    type: v.literal("tool_call"),
    call_id: v.string(),
    name: v.string(),
    params: jsonValueSchema,
    provider_executed: v.boolean(),
  }),
  v.strictObject({
    ...base,
    type: v.literal("tool_result"),
    call_id: v.string(),
    name: v.exactOptional(v.string()),
    is_failure: v.boolean(),
    result: jsonValueSchema,
  }),
  v.strictObject({
    ...base,
    type: v.literal("tool_approval_request"),
    approval_id: v.string(),
    tool_call_id: v.string(),
  }),
  v.strictObject({
    ...base,
    type: v.literal("tool_approval_response"),
    approval_id: v.string(),
    approved: v.boolean(),
    reason: v.exactOptional(v.string()),
  }),
]);
