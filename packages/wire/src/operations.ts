import type { GenericSchema } from "valibot";
import { type GetRequest, type GetResponse, getRequestSchema, getResponseSchema } from "./get.ts";
import {
  type IngestRequest,
  type IngestResponse,
  ingestRequestSchema,
  ingestResponseSchema,
  type ReceivedIngest,
} from "./ingest.ts";
import {
  type ListRequest,
  type ListResponse,
  listRequestSchema,
  listResponseSchema,
} from "./list.ts";
import {
  type RestoreRequest,
  type RestoreResponse,
  restoreRequestSchema,
  restoreResponseSchema,
} from "./restore.ts";
import {
  type SearchRequest,
  type SearchResponse,
  searchRequestSchema,
  searchResponseSchema,
} from "./search.ts";
import {
  type StatusRequest,
  type StatusResponse,
  statusRequestSchema,
  statusResponseSchema,
} from "./status.ts";

/** The request of each operation, as a caller sends it. */
export type Requests = {
  readonly search: SearchRequest;
  readonly list: ListRequest;
  readonly get: GetRequest;
  readonly ingest: IngestRequest;
  readonly status: StatusRequest;
  readonly restore: RestoreRequest;
};

/** The request of each operation, once it has been read. */
export type ReceivedRequests = Omit<Requests, "ingest"> & { readonly ingest: ReceivedIngest };

/** The response of each operation. */
export type Responses = {
  readonly search: SearchResponse;
  readonly list: ListResponse;
  readonly get: GetResponse;
  readonly ingest: IngestResponse;
  readonly status: StatusResponse;
  readonly restore: RestoreResponse;
};

/** The name of an operation. */
export type OperationName = keyof Requests;

/** How one operation is called and answered. */
export type Operation<Name extends OperationName> = {
  /** The path of the HTTP endpoint, which takes POST. */
  readonly path: string;
  /** True if the operation stores nothing. */
  readonly isReadOnly: boolean;
  readonly request: GenericSchema<unknown, ReceivedRequests[Name]>;
  readonly response: GenericSchema<unknown, Responses[Name]>;
};

/** Every operation of a pond, over any transport. */
export const operations: { readonly [Name in OperationName]: Operation<Name> } = {
  search: {
    path: "/v1/search",
    isReadOnly: true,
    request: searchRequestSchema,
    response: searchResponseSchema,
  },
  list: {
    path: "/v1/list",
    isReadOnly: true,
    request: listRequestSchema,
    response: listResponseSchema,
  },
  get: {
    path: "/v1/get",
    isReadOnly: true,
    request: getRequestSchema,
    response: getResponseSchema,
  },
  ingest: {
    path: "/v1/ingest",
    isReadOnly: false,
    request: ingestRequestSchema,
    response: ingestResponseSchema,
  },
  status: {
    path: "/v1/status",
    isReadOnly: true,
    request: statusRequestSchema,
    response: statusResponseSchema,
  },
  restore: {
    path: "/v1/restore",
    isReadOnly: true,
    request: restoreRequestSchema,
    response: restoreResponseSchema,
  },
};
