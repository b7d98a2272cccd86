export type {
  ErrorCode,
  GetRequest,
  GetResponse,
  IngestEvent,
  IngestRequest,
  IngestResponse,
  ListedSession,
  ListRequest,
  ListResponse,
  MessageView,
  RestoreRequest,
  RestoreResponse,
  SearchRequest,
  SearchResponse,
  SessionMatches,
  SessionPage,
  ShownMessage,
  StatusRequest,
  StatusResponse,
} from "@pond/wire";
export { WireError } from "@pond/wire";
export type { CallOptions } from "./call.ts";
export { type Client, createClient, type MessagesOptions, type RequestFields } from "./client.ts";
export { AnswerError, ConnectionError, ServerError } from "./errors.ts";
export type { IngestAllOptions } from "./ingest-all.ts";
export type { ClientOptions } from "./settings.ts";
