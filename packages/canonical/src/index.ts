export { PondError, SourceFault, type SourceLocation, ValidationError } from "./errors.ts";
export type {
  CanonicalEvent,
  FaultEvent,
  MessageEvent,
  PartEvent,
  PendingEvent,
  ReadEvent,
  SessionEvent,
} from "./event.ts";
export { type MessageId, messageIdSchema, type PartId, partIdSchema } from "./ids.ts";
export { type SessionId, sessionIdSchema } from "./ids.ts";
export { isJsonObject, isRawNumber, jsonEqual, parseJson, stringifyJson } from "./json.ts";
export type { JsonObject, JsonValue, RawNumber } from "./json.ts";
export { allowedParts, messageHeaderSchema, partsOf } from "./message.ts";
export type { AssistantMessage, Message, MessageHeader, Role } from "./message.ts";
export type { SystemMessage, ToolMessage, UserMessage } from "./message.ts";
export { type Part, partSchema, type PartType, type Provenance } from "./part.ts";
export type { FileContent, FilePart, ProviderOptions, ReasoningPart, TextPart } from "./part.ts";
export type { ToolApprovalRequestPart, ToolApprovalResponsePart } from "./part.ts";
export type { ToolCallPart, ToolResultPart } from "./part.ts";
export { type Session, sessionSchema } from "./session.ts";
export { fromRfc3339, type Micros, toRfc3339 } from "./timestamp.ts";
export { EventValidator } from "./validate.ts";
export { fromWire, toWire, type WireMessage, type WirePart, type WireSession } from "./wire.ts";
