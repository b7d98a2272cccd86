import type { JsonObject, JsonValue } from "@pond/canonical";
import * as v from "valibot";
import { jsonObjectSchema, jsonValueSchema } from "./json.ts";

/** A session as JSON (spec 4.5). Times are RFC 3339. */
export type WireSession = {
  readonly id: string;
  readonly parent_session_id?: string;
  /** The cut-point in the parent; only together with it. */
  readonly parent_message_id?: string;
  /** The client brand, such as `claude-code`. Never changes. */
  readonly source_agent: string;
  readonly created_at: string;
  /** The working directory, decoded. Never changes. */
  readonly project: string;
  readonly options: JsonObject;
};

/** A message without its parts, which are events of their own (spec 4.6). */
export type WireMessage = {
  readonly id: string;
  readonly session_id: string;
  readonly timestamp: string;
  readonly options: JsonObject;
} & (
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user" | "assistant" | "tool" }
);

/** @inline */
type PartBase = {
  readonly id: string;
  readonly session_id: string;
  readonly message_id: string;
  /** Whether it was said, or inserted by the client. */
  readonly provenance: "conversational" | "injected";
  readonly options: JsonObject;
};

/** A part as JSON (spec 4.7); bytes are base64. */
export type WirePart = PartBase &
  (
    | { readonly type: "text" | "reasoning"; readonly text: string }
    | {
        readonly type: "file";
        readonly media_type: string;
        readonly file_name?: string;
        readonly data:
          | { readonly type: "bytes"; readonly base64: string }
          | { readonly type: "base64"; readonly text: string }
          | { readonly type: "url"; readonly url: string };
      }
    | {
        readonly type: "tool_call";
        readonly call_id: string;
        readonly name: string;
        readonly params: JsonValue;
        readonly provider_executed: boolean;
      }
    | {
        readonly type: "tool_result";
        readonly call_id: string;
        readonly name?: string;
        readonly is_failure: boolean;
        readonly result: JsonValue;
      }
    | {
        readonly type: "tool_approval_request";
        readonly approval_id: string;
        readonly tool_call_id: string;
      }
    | {
        readonly type: "tool_approval_response";
        readonly approval_id: string;
        readonly approved: boolean;
        readonly reason?: string;
      }
  );

const id = v.pipe(v.string(), v.nonEmpty());
const time = v.pipe(v.string(), v.metadata({ format: "date-time" }));
export const wireSessionSchema: v.GenericSchema<unknown, WireSession> = v.object({
  id,
  parent_session_id: v.exactOptional(id),
  parent_message_id: v.exactOptional(id),
  source_agent: v.pipe(v.string(), v.nonEmpty()),
  created_at: time,
  project: v.pipe(v.string(), v.nonEmpty()),
  options: jsonObjectSchema,
});

const header = { id, session_id: id, timestamp: time, options: jsonObjectSchema };

export const wireMessageSchema: v.GenericSchema<unknown, WireMessage> = v.variant("role", [
  v.object({ ...header, role: v.literal("system"), content: v.string() }),
  v.object({ ...header, role: v.picklist(["user", "assistant", "tool"]) }),
]);

const part = {
  id,
  session_id: id,
  message_id: id,
  provenance: v.picklist(["conversational", "injected"]),
  options: jsonObjectSchema,
};

export const wirePartSchema: v.GenericSchema<unknown, WirePart> = v.variant("type", [
  v.object({ ...part, type: v.picklist(["text", "reasoning"]), text: v.string() }),
  v.object({
    ...part,
    type: v.literal("file"),
    media_type: v.string(),
    file_name: v.exactOptional(v.string()),
    data: v.variant("type", [
      v.object({ type: v.literal("bytes"), base64: v.string() }),
      v.object({ type: v.literal("base64"), text: v.string() }),
      v.object({ type: v.literal("url"), url: v.string() }),
    ]),
  }),
  v.object({
    ...part,
    type: v.literal("tool_call"),
    call_id: v.string(),
    name: v.string(),
    params: jsonValueSchema,
    provider_executed: v.boolean(),
  }),
  v.object({
    ...part,
    type: v.literal("tool_result"),
    call_id: v.string(),
    name: v.exactOptional(v.string()),
    is_failure: v.boolean(),
    result: jsonValueSchema,
  }),
  v.object({
    ...part,
    type: v.literal("tool_approval_request"),
    approval_id: v.string(),
    tool_call_id: v.string(),
  }),
  v.object({
    ...part,
    type: v.literal("tool_approval_response"),
    approval_id: v.string(),
    approved: v.boolean(),
    reason: v.exactOptional(v.string()),
  }),
]);
