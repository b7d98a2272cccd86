export { checkMessage, checkPart, checkSession, messageOf } from "./check.ts";
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
export { recordCountOf } from "./event.ts";
export {
  type MessageId,
  messageIdSchema,
  type PartId,
  partIdSchema,
  type SessionId,
  sessionIdSchema,
} from "./ids.ts";
export {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  stringifyJson,
  tryParseJson,
  tryParseObject,
} from "./json.ts";
export { jsonEqual } from "./json-equal.ts";
export type {
  AssistantMessage,
  Message,
  MessageHeader,
  Role,
  SystemMessage,
  ToolMessage,
  UserMessage,
} from "./message.ts";
export { allowedParts, messageHeaderSchema, partsOf } from "./message.ts";
export type {
  FileContent,
  FilePart,
  ProviderOptions,
  ReasoningPart,
  TextPart,
  ToolApprovalRequestPart,
  ToolApprovalResponsePart,
  ToolCallPart,
  ToolResultPart,
} from "./part.ts";
export { type Part, type PartType, type Provenance, partSchema } from "./part.ts";
export { isRawNumber, type RawNumber } from "./raw-number.ts";
export { type Session, sessionSchema } from "./session.ts";
export { fromRfc3339, type Micros, toRfc3339 } from "./timestamp.ts";
export { EventValidator } from "./validate.ts";
export { TooManyValuesError } from "./value-count.ts";
export type { WireFileContent, WireMessage, WirePart, WireSession } from "./wire.ts";
export {
  messageFromWire,
  messageToWire,
  partFromWire,
  partToWire,
  sessionFromWire,
  sessionToWire,
} from "./wire.ts";
