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

/** Extensibility bag: `source.*` source facts, `<provider>.*` extensions, `pond.*` pond's own. */
export type ProviderOptions = JsonObject;

/** Whether a Part is the conversation or was inserted by the harness (`model-part-provenance`). */
export type Provenance = "conversational" | "injected";

/** @inline */
type BasePart = {
  readonly id: PartId;
  readonly session_id: SessionId;
  readonly message_id: MessageId;
  readonly provenance: Provenance;
  /** What of its own the source kept beside the typed fields. */
  readonly options: ProviderOptions;
};

/** Text that was said, or put in by the harness. */
export type TextPart = BasePart & { readonly type: "text"; readonly text: string };

/** What the model thought. Never searched (spec 8). */
export type ReasoningPart = BasePart & { readonly type: "reasoning"; readonly text: string };

/** What a file part holds: its bytes, base64 text that is not canonical base64, or where it is. */
export type FileContent =
  | { readonly type: "bytes"; readonly bytes: Uint8Array }
  | { readonly type: "base64"; readonly text: string }
  | { readonly type: "url"; readonly url: string };

/** A file, an image or a recording. `media_type` is a generic one where the source has none. */
export type FilePart = BasePart & {
  readonly type: "file";
  readonly media_type: string;
  /** As the source calls it; no path to go by. */
  readonly file_name?: string;
  readonly data: FileContent;
};

/** A tool that the model called. `provider_executed` is true where its provider ran it. */
export type ToolCallPart = BasePart & {
  readonly type: "tool_call";
  /** Matches the `call_id` of the result. */
  readonly call_id: string;
  readonly name: string;
  /** As the model wrote them: often an object, sometimes the text of one. */
  readonly params: JsonValue;
  readonly provider_executed: boolean;
};

/** What a tool answered. `is_failure` is false where the source does not say. */
export type ToolResultPart = BasePart & {
  readonly type: "tool_result";
  /** Matches the `call_id` of the call. */
  readonly call_id: string;
  /** Absent where neither the result nor a call in the session names it (`model-schema-honesty`). */
  readonly name?: string;
  readonly is_failure: boolean;
  /** In the shape the client gave it. */
  readonly result: JsonValue;
};

/** A call that waits for a human's leave. */
export type ToolApprovalRequestPart = BasePart & {
  readonly type: "tool_approval_request";
  /** Matches that of the response. */
  readonly approval_id: string;
  /** The `call_id` of the call that waits. */
  readonly tool_call_id: string;
};

/** What the human said to the request of the same `approval_id`. */
export type ToolApprovalResponsePart = BasePart & {
  readonly type: "tool_approval_response";
  /** Matches that of the request. */
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

/** Which of the variants a part is. */
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

/** Checks one Part. Strict: a field the model does not name is an error, not a silent drop. */
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
