import {
  type GetRequest,
  type GetResponse,
  type IngestEvent,
  type IngestRequest,
  type IngestResponse,
  type ListedSession,
  type ListRequest,
  type ListResponse,
  type MessageView,
  type OperationName,
  operations,
  protocolVersion,
  type Requests,
  type Responses,
  type RestoreRequest,
  type RestoreResponse,
  type SearchRequest,
  type SearchResponse,
  type SessionMatches,
  type SessionPage,
  type ShownMessage,
  type StatusRequest,
  type StatusResponse,
} from "@pond/wire";
import { publicAddress } from "./address.ts";
import { type CallOptions, call } from "./call.ts";
import { AnswerError } from "./errors.ts";
import { type IngestAllOptions, ingestAll } from "./ingest-all.ts";
import { toJsonText } from "./json-text.ts";
import { messagePages, sessionPages } from "./paging.ts";
import { type ClientOptions, readSettings, type Settings } from "./settings.ts";

/** A request without the fields that the client adds. */
export type RequestFields<Request> = Omit<Request, "protocol_version">;

/** @inline */
type GetFields = RequestFields<GetRequest>;

/**
 * The operations of a pond server. All of them throw {@link ServerError}, {@link ConnectionError},
 * {@link AnswerError}, or the reason of their `signal`; they throw a `TypeError` for a value that
 * JSON would change.
 */
export type Client = {
  /** Returns one page of search results. */
  search(request: RequestFields<SearchRequest>, options?: CallOptions): Promise<SearchResponse>;
  /** Searches, and asks for the next page for as long as the caller wants more sessions. */
  searchAll(
    request: RequestFields<SearchRequest>,
    options?: CallOptions,
  ): AsyncGenerator<SessionMatches, void, undefined>;
  /** Returns one page of sessions, the last active first. */
  list(request?: RequestFields<ListRequest>, options?: CallOptions): Promise<ListResponse>;
  /** Lists, and asks for the next page for as long as the caller wants more sessions. */
  listAll(
    request?: RequestFields<ListRequest>,
    options?: CallOptions,
  ): AsyncGenerator<ListedSession, void, undefined>;
  /** Returns one message with its neighbours. */
  get(
    request: GetFields & { readonly message_id: string },
    options?: CallOptions,
  ): Promise<MessageView>;
  /** Returns a page of a session. */
  get(
    request: GetFields & { readonly message_id?: undefined },
    options?: CallOptions,
  ): Promise<SessionPage>;
  /** Returns one or the other, depending on the request. */
  get(request: GetFields, options?: CallOptions): Promise<GetResponse>;
  /** Yields the messages of a session, page after page. */
  messages(
    sessionId: string,
    options?: MessagesOptions,
  ): AsyncGenerator<ShownMessage, void, undefined>;
  /** Stores the events of one request. Repeating it changes nothing. */
  ingest(request: RequestFields<IngestRequest>, options?: CallOptions): Promise<IngestResponse>;
  /** Stores any number of events in as many requests as needed; see {@link IngestAllOptions}. */
  ingestAll(
    events: Iterable<IngestEvent> | AsyncIterable<IngestEvent>,
    options?: IngestAllOptions & Pick<IngestRequest, "namespace">,
  ): Promise<IngestResponse>;
  /** Returns what is stored and how healthy it is. */
  status(request?: RequestFields<StatusRequest>, options?: CallOptions): Promise<StatusResponse>;
  /** Returns a session as files of a client. */
  restore(request: RequestFields<RestoreRequest>, options?: CallOptions): Promise<RestoreResponse>;
};

/** How a session is read page by page. */
export type MessagesOptions = CallOptions &
  Pick<GetRequest, "namespace" | "response_mode" | "after_id" | "limit_bytes">;

/**
 * Makes a client of one server. It sends nothing before an operation is called and holds nothing
 * between calls.
 *
 * @throws {TypeError | RangeError} for options that make no sense.
 */
export function createClient(options: ClientOptions): Client {
  return clientOf(readSettings(options));
}

/** Like {@link createClient}, for settings that were read before. */
export function clientOf(settings: Settings): Client {
  const envelope = (namespace = settings.namespace): object => ({
    protocol_version: protocolVersion,
    ...(namespace !== undefined && { namespace }),
  });
  const ask = async <Name extends OperationName>(
    name: Name,
    request: RequestFields<Requests[Name]>,
    callOptions: CallOptions = {},
  ): Promise<Responses[Name]> => {
    const fields = Object.entries({ ...request, ...envelope(request.namespace) });
    const given = fields.filter(([, value]) => value !== undefined);
    return call(name, toJsonText(Object.fromEntries(given)), settings, callOptions);
  };
  const invalidAnswer = (name: OperationName, reason: string): AnswerError => {
    const url = publicAddress(settings.address.of(operations[name].path));
    return new AnswerError({ url, status: 200, reason });
  };

  function get(
    request: GetFields & { readonly message_id: string },
    callOptions?: CallOptions,
  ): Promise<MessageView>;
  function get(
    request: GetFields & { readonly message_id?: undefined },
    callOptions?: CallOptions,
  ): Promise<SessionPage>;
  function get(request: GetFields, callOptions?: CallOptions): Promise<GetResponse>;
  async function get(request: GetFields, callOptions?: CallOptions): Promise<GetResponse> {
    const response = await ask("get", request, callOptions);
    if ("target" in response === (request.message_id !== undefined)) return response;
    throw invalidAnswer(
      "get",
      "is a session although a message was asked for, or the other way round",
    );
  }

  return {
    search: (request, callOptions) => ask("search", request, callOptions),
    searchAll: (request, callOptions) =>
      sessionPages(
        (after) => ask("search", { ...request, after }, callOptions),
        request.after,
        () => invalidAnswer("search", "is the previous page again"),
      ),
    list: (request = {}, callOptions) => ask("list", request, callOptions),
    listAll: (request = {}, callOptions) =>
      sessionPages(
        (after) => ask("list", { ...request, after }, callOptions),
        request.after,
        () => invalidAnswer("list", "is the previous page again"),
      ),
    get,
    messages(sessionId, { signal, timeoutMs, ...request } = {}) {
      const page = (after_id: string | undefined): Promise<SessionPage> =>
        get({ ...request, session_id: sessionId, after_id }, { signal, timeoutMs });
      return messagePages(page, request.after_id, () =>
        invalidAnswer("get", "is the previous page again"),
      );
    },
    ingest: (request, callOptions) => ask("ingest", request, callOptions),
    ingestAll(events, { namespace, ...ingestOptions } = {}) {
      const start = JSON.stringify({ ...envelope(namespace), events: [] }).slice(0, -"]}".length);
      const send = (texts: string): Promise<IngestResponse> =>
        call("ingest", `${start}${texts}]}`, settings, ingestOptions);
      return ingestAll(events, send, ingestOptions);
    },
    status: (request = {}, callOptions) => ask("status", request, callOptions),
    restore: (request, callOptions) => ask("restore", request, callOptions),
  };
}
