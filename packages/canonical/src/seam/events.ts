import type { MessageEvent, PartEvent, SessionEvent } from "../event.ts";
import type { MessageId, PartId, SessionId } from "../ids.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { MessageHeader } from "../message.ts";
import type { FileContent, Part, Provenance, ProviderOptions } from "../part.ts";
import type { Session } from "../session.ts";
import { setField } from "../set-field.ts";
import type { Micros } from "../timestamp.ts";
import type { Origin } from "./codec.ts";
import { type Extracted, unseal } from "./extracted.ts";

/**
 * The content of `options.source`: extracted values, and plain facts about how the codec cut the
 * record (a position, a flag, a keyword). Undefined values and an empty `rest` are left out.
 */
export type SourceOptions = Readonly<
  Record<string, Extracted<JsonValue> | string | number | boolean | undefined>
>;

/** What a session needs. Without a `project` there is no session (`model-project-non-empty`). */
export type SessionInit = {
  readonly id: Extracted<string>;
  readonly parentSessionId?: Extracted<string> | undefined;
  /** The cut-point of a fork; only together with `parentSessionId`. */
  readonly parentMessageId?: Extracted<string> | undefined;
  readonly sourceAgent: Origin;
  readonly createdAt: Extracted<Micros>;
  /** The working directory, decoded. */
  readonly project: Extracted<string>;
  readonly source: SourceOptions;
  /** How many source records nothing else keeps. Default: none. */
  readonly records?: number;
  /** What could not be looked up about its origin; see {@link SessionEvent}. */
  readonly unresolved?: SessionEvent["unresolved"] | undefined;
};

/** What every message needs. */
export type MessageInit = {
  readonly id: Extracted<string>;
  /** The record's own time, or the session's if it has none. */
  readonly timestamp: Extracted<Micros>;
  readonly source: SourceOptions;
  /** How many source records it keeps. Default: one; none for the second message of a record. */
  readonly records?: number;
};

/** What every part needs; `provenance` has no default (`adapter-provenance-required`). */
export type PartInit = {
  readonly id: Extracted<string>;
  readonly provenance: Provenance;
  readonly source?: SourceOptions;
};

/** Makes the event that opens a session. */
export function sessionEvent(init: SessionInit): SessionEvent {
  const session: Session = {
    id: unseal(init.id) as SessionId,
    ...(init.parentSessionId && { parent_session_id: unseal(init.parentSessionId) as SessionId }),
    ...(init.parentMessageId && { parent_message_id: unseal(init.parentMessageId) as MessageId }),
    source_agent: init.sourceAgent,
    created_at: unseal(init.createdAt),
    project: unseal(init.project),
    options: sourceOptions(init.source),
  };
  const { unresolved } = init;
  return { kind: "session", session, ...counted(init), ...(unresolved && { unresolved }) };
}

/**
 * Makes the event that opens a user, assistant or tool message. Its parts follow as events of their
 * own.
 */
export function messageEvent(
  session: SessionEvent,
  role: "user" | "assistant" | "tool",
  init: MessageInit,
): MessageEvent {
  return { kind: "message", message: { ...header(session, init), role }, ...counted(init) };
}

/** Makes a system message with the text that the source gave it. */
export function systemMessageEvent(
  session: SessionEvent,
  init: MessageInit & { readonly content: Extracted<string> },
): MessageEvent {
  const message = { ...header(session, init), role: "system" as const };
  const whole = { ...message, content: unseal(init.content) };
  return { kind: "message", message: whole, ...counted(init) };
}

/**
 * Makes a message that carries a whole record, for one that maps to no message (spec 6.5, rule 3).
 */
export function carrierEvent(
  session: SessionEvent,
  init: MessageInit & { readonly record: Extracted<JsonObject> },
): MessageEvent {
  const { record, ...rest } = init;
  const message = header(session, { ...rest, source: { ...rest.source, record } });
  const whole = { ...message, role: "system" as const, content: "" };
  return { kind: "message", message: whole, ...counted(init) };
}

/**
 * A text of a message. One part was either said or inserted, so a text that mixes both is cut
 * first: see {@link splitText}.
 */
export function textPart(
  message: MessageEvent,
  init: PartInit & { readonly text: Extracted<string> },
): PartEvent {
  return part({ ...base(message, init), type: "text", text: unseal(init.text) });
}

/** What the model thought. */
export function reasoningPart(
  message: MessageEvent,
  init: PartInit & { readonly text: Extracted<string> },
): PartEvent {
  return part({ ...base(message, init), type: "reasoning", text: unseal(init.text) });
}

/** A file in a message. */
export function filePart(
  message: MessageEvent,
  init: PartInit & {
    /** If the source names none, the generic type, which `model-no-synthesis` allows. */
    readonly mediaType: Extracted<string> | undefined;
    readonly fileName?: Extracted<string> | undefined;
    readonly content: Extracted<FileContent>;
  },
): PartEvent {
  return part({
    ...base(message, init),
    type: "file",
    media_type: init.mediaType ? unseal(init.mediaType) : "application/octet-stream",
    ...(init.fileName && { file_name: unseal(init.fileName) }),
    data: unseal(init.content),
  });
}

/** A tool call, with its parameters as the model wrote them. */
export function toolCallPart(
  message: MessageEvent,
  init: PartInit & {
    readonly callId: Extracted<string>;
    readonly name: Extracted<string>;
    readonly params: Extracted<JsonValue>;
    readonly isProviderExecuted: boolean;
  },
): PartEvent {
  return part({
    ...base(message, init),
    type: "tool_call",
    call_id: unseal(init.callId),
    name: unseal(init.name),
    params: unseal(init.params),
    provider_executed: init.isProviderExecuted,
  });
}

/** A tool's answer; most often `injected`, because nobody said it. */
export function toolResultPart(
  message: MessageEvent,
  init: PartInit & {
    readonly callId: Extracted<string>;
    /** From the result, or from the call that it answers; absent if neither names it. */
    readonly name?: Extracted<string> | undefined;
    /** Absent if no failure was recorded. */
    readonly isFailure: Extracted<boolean> | undefined;
    readonly result: Extracted<JsonValue>;
  },
): PartEvent {
  return part({
    ...base(message, init),
    type: "tool_result",
    call_id: unseal(init.callId),
    ...(init.name && { name: unseal(init.name) }),
    is_failure: init.isFailure ? unseal(init.isFailure) : false,
    result: unseal(init.result),
  });
}

/** A tool call that waits for a human's permission. */
export function toolApprovalRequestPart(
  message: MessageEvent,
  init: PartInit & {
    readonly approvalId: Extracted<string>;
    readonly toolCallId: Extracted<string>;
  },
): PartEvent {
  return part({
    ...base(message, init),
    type: "tool_approval_request",
    approval_id: unseal(init.approvalId),
    tool_call_id: unseal(init.toolCallId),
  });
}

/** The human's reply to an approval request. */
export function toolApprovalResponsePart(
  message: MessageEvent,
  init: PartInit & {
    readonly approvalId: Extracted<string>;
    readonly isApproved: Extracted<boolean>;
    readonly reason?: Extracted<string> | undefined;
  },
): PartEvent {
  return part({
    ...base(message, init),
    type: "tool_approval_response",
    approval_id: unseal(init.approvalId),
    approved: unseal(init.isApproved),
    ...(init.reason && { reason: unseal(init.reason) }),
  });
}

function counted({ records }: { readonly records?: number }): { readonly records?: number } {
  return records === undefined ? {} : { records };
}

function header(session: SessionEvent, init: MessageInit): Omit<MessageHeader, "role" | "content"> {
  return {
    id: unseal(init.id) as MessageId,
    session_id: session.session.id,
    timestamp: unseal(init.timestamp),
    options: sourceOptions(init.source),
  };
}

function base({ message }: MessageEvent, init: PartInit): Omit<Part, "type"> {
  return {
    id: unseal(init.id) as PartId,
    session_id: message.session_id,
    message_id: message.id,
    provenance: init.provenance,
    options: sourceOptions(init.source ?? {}),
  };
}

function part(value: Part): PartEvent {
  return { kind: "part", part: value };
}

function sourceOptions(source: SourceOptions): ProviderOptions {
  const values: { [key: string]: JsonValue } = {};
  let isEmpty = true;
  for (const [key, value] of Object.entries(source)) {
    if (value === undefined) continue;
    const plain = typeof value === "object" ? unseal(value) : value;
    if (key === "rest" && isEmptyObject(plain)) continue;
    setField(values, key, plain);
    isEmpty = false;
  }
  return isEmpty ? {} : { source: values };
}

function isEmptyObject(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  for (const _ in value) return false;
  return true;
}
