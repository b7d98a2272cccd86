export type { WireMessage, WirePart, WireSession } from "./canonical.ts";
export { type Envelope, maxIdChars, protocolVersion } from "./envelope.ts";
export {
  type ErrorBody,
  type ErrorCode,
  type ErrorFacts,
  errorBodySchema,
  errorCodes,
  isErrorCode,
  WireError,
} from "./errors.ts";
export {
  type GetRequest,
  type GetResponse,
  type MessageView,
  maxContextDepth,
  type ResponseMode,
  type SessionPage,
  type ShownMessage,
} from "./get.ts";
export type {
  IngestEvent,
  IngestedSession,
  IngestRequest,
  IngestResponse,
  ReceivedIngest,
  RejectedRow,
  RowErrorCode,
} from "./ingest.ts";
export { jsonSchemaOf, jsonSchemas } from "./json-schema.ts";
export type { ListedSession, ListRequest, ListResponse } from "./list.ts";
export { openApi } from "./open-api.ts";
export {
  type Operation,
  type OperationName,
  operations,
  type ReceivedRequests,
  type Requests,
  type Responses,
} from "./operations.ts";
export type { PartSummary } from "./part-summary.ts";
export { readRequest } from "./read-request.ts";
export type { Fidelity, RestoreRequest, RestoreResponse, WireFile } from "./restore.ts";
export type {
  SearchMatch,
  SearchRequest,
  SearchResponse,
  SearchWarning,
  SessionMatches,
} from "./search.ts";
export type {
  EmbeddingStatus,
  LabelCounts,
  StatusRequest,
  StatusResponse,
  TableStatus,
} from "./status.ts";
