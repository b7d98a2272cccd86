import * as v from "valibot";
import { type MessageId, messageIdSchema, type SessionId, sessionIdSchema } from "./ids.ts";
import { jsonObjectSchema } from "./json.ts";
import type {
  FilePart,
  Part,
  PartType,
  ProviderOptions,
  ReasoningPart,
  TextPart,
  ToolApprovalRequestPart,
  ToolApprovalResponsePart,
  ToolCallPart,
  ToolResultPart,
} from "./part.ts";
import { type Micros, microsSchema } from "./timestamp.ts";

/** @inline */
type BaseMessage = {
  readonly id: MessageId;
  readonly session_id: SessionId;
  /** When the source says it happened. A session is ordered by its file, not by this. */
  readonly timestamp: Micros;
  /** What the source record held besides the typed fields. */
  readonly options: ProviderOptions;
};

/** @inline */
type SystemHeader = BaseMessage & {
  readonly role: "system";
  /** May be empty: the message then carries a record that maps to no message (spec 6.5, rule 3). */
  readonly content: string;
};
/** @inline */
type UserHeader = BaseMessage & { readonly role: "user" };
/** @inline */
type AssistantHeader = BaseMessage & { readonly role: "assistant" };
/** @inline */
type ToolHeader = BaseMessage & { readonly role: "tool" };

/** A message as an event carries it and a row stores it. Its parts follow, one event each. */
export type MessageHeader = SystemHeader | UserHeader | AssistantHeader | ToolHeader;

/**
 * A message from neither the human nor the model. It has text and no parts, and may carry a whole
 * record.
 */
export type SystemMessage = SystemHeader;
/** A turn of the user: what was typed, and what the client added to it. */
export type UserMessage = UserHeader & { readonly content: readonly (TextPart | FilePart)[] };
/** A turn of the model: what it said, thought and called. */
export type AssistantMessage = AssistantHeader & {
  readonly content: readonly (
    | TextPart
    | FilePart
    | ReasoningPart
    | ToolCallPart
    | ToolResultPart
    | ToolApprovalRequestPart
  )[];
};
/** The answers of tools, and whether a human let them run. */
export type ToolMessage = ToolHeader & {
  readonly content: readonly (ToolResultPart | ToolApprovalResponsePart)[];
};

/** A whole message with its parts (spec 4.6). */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** Whose turn a message is. */
export type Role = Message["role"];

/** The part types that a message of each role may hold (spec 4.6). */
export const allowedParts: Readonly<Record<Role, readonly PartType[]>> = {
  system: [],
  user: ["text", "file"],
  assistant: ["text", "file", "reasoning", "tool_call", "tool_result", "tool_approval_request"],
  tool: ["tool_result", "tool_approval_response"],
};

/** The parts of a message; a system message has none. */
export function partsOf(message: Message): readonly Part[] {
  return message.role === "system" ? [] : message.content;
}

const base = {
  id: messageIdSchema,
  session_id: sessionIdSchema,
  timestamp: microsSchema,
  options: jsonObjectSchema,
};

/** Checks one message header. Strict: a field that the model does not name is an error. */
export const messageHeaderSchema: v.GenericSchema<unknown, MessageHeader> = v.variant("role", [
  v.strictObject({ ...base, role: v.literal("system"), content: v.string() }),
  v.strictObject({ ...base, role: v.literal("user") }),
  v.strictObject({ ...base, role: v.literal("assistant") }),
  v.strictObject({ ...base, role: v.literal("tool") }),
]);
