import { hostname } from "node:os";
import type { Embedder } from "@pond/embed";
import {
  type OperationName,
  operations,
  type ReceivedRequests,
  type Responses,
  readRequest,
  type SearchWarning,
  WireError,
} from "@pond/wire";
import { CircuitBreaker } from "./circuit-breaker.ts";
import { isAbort, toWireError } from "./errors.ts";
import { get } from "./handlers/get.ts";
import { ingest } from "./handlers/ingest.ts";
import { list } from "./handlers/list.ts";
import { restore } from "./handlers/restore.ts";
import { search } from "./handlers/search.ts";
import { status } from "./handlers/status.ts";
import { type HandlerLimits, limitsOf } from "./limits.ts";
import { admittedNamespace, type Namespaces } from "./namespaces.ts";
import type { Handler, Resources, Restorers } from "./resources.ts";
import { createUpkeep } from "./upkeep.ts";

/** What the handlers work with. */
export type HandlersOptions = {
  /** Where stores come from. Whoever made it closes it. */
  readonly namespaces: Namespaces;
  /**
   * Makes searches hybrid if messages are embedded under its model. The handlers never close it.
   * After it took all the time that a search has for it, one search at a time asks it again, ten
   * seconds later.
   */
  readonly embedder?: Embedder | undefined;
  /** Why the configured model cannot be used. Searches then go by words, and say so. */
  readonly embedderFailure?: Error | undefined;
  /** Why there is neither, as the status says it. Default: no embedding model is configured. */
  readonly noEmbedderReason?: string | undefined;
  /**
   * True if the callers are also the operators: only they are told where the store is and how a
   * model failed. Default: false; a tenant is told neither path nor bucket.
   */
  readonly isPersonal?: boolean | undefined;
  /** Left out, nothing can be restored. */
  readonly restorers?: Restorers | undefined;
  readonly limits?: Partial<HandlerLimits> | undefined;
  /**
   * Name of this machine, stored with what is ingested. Default: the system's, if this is personal;
   * otherwise none, and the name that a session brings stays.
   */
  readonly host?: string | undefined;
  /** The time that is stored with what is ingested. Default: the clock. */
  readonly now?: (() => Date) | undefined;
  /**
   * Called when indexes could not be maintained. Searches stay complete, and a later ingest tries
   * again.
   */
  readonly onIndexUpdateFailed?: ((error: unknown) => void) | undefined;
  /** Called with a warning of a search whose reason is not for its caller: no tenant learns it. */
  readonly onWarningWithheld?: ((warning: SearchWarning) => void) | undefined;
};

/** What a transport knows about a request besides the request itself. */
export type RequestContext = {
  readonly signal?: AbortSignal | undefined;
  /** Named in the answer if the server itself failed, so that the log can be searched for it. */
  readonly requestId?: string | undefined;
  /**
   * The only namespace the request may use, as whoever admitted it says; the request need not name
   * it.
   */
  readonly namespace?: string | undefined;
};

/** Every operation, whatever the transport (spec 7.1). */
export type Handlers = {
  /**
   * Answers a request of any transport.
   *
   * @param request - As it came: JSON that `parseJson` of `@pond/canonical` read, without any
   * check.
   * @throws {WireError} for every error, with the error itself as `cause`.
   * @throws the reason of `signal`, if that is aborted.
   */
  handle<Name extends OperationName>(
    operation: Name,
    request: unknown,
    context?: RequestContext,
  ): Promise<Responses[Name]>;
};

const noModel = "no embedding model is configured";

const handlers: {
  readonly [Name in OperationName]: Handler<ReceivedRequests[Name], Responses[Name]>;
} = { search, list, get, ingest, status, restore };

/**
 * Makes the handlers: the one entry point for every transport (spec 7.1).
 *
 * @throws {TypeError} for an invalid limit.
 */
export function createHandlers(options: HandlersOptions): Handlers {
  const { namespaces, embedderFailure, restorers, host, isPersonal = false } = options;
  const embedder = options.embedder && new CircuitBreaker(options.embedder);
  // The text that says why may name the operator's files.
  const absence = isPersonal ? options.noEmbedderReason : undefined;
  const shared: Omit<Resources, "open" | "signal"> = {
    embedding: { embedder, failure: embedderFailure, absence: absence ?? noModel },
    isPersonal,
    onWarningWithheld: options.onWarningWithheld ?? (() => undefined),
    restorers: restorers ?? { writers: new Map() },
    limits: limitsOf(options.limits),
    host: host ?? (isPersonal ? hostname() : undefined),
    now: options.now ?? (() => new Date()),
    upkeep: createUpkeep(options.onIndexUpdateFailed ?? (() => undefined)),
  };
  return {
    async handle<Name extends OperationName>(
      operation: Name,
      value: unknown,
      { signal, requestId, namespace: admitted }: RequestContext = {},
    ): Promise<Responses[Name]> {
      const answered = Promise.withResolvers<void>();
      // A request may fail before it asks for a store.
      answered.promise.catch(() => undefined);
      try {
        signal?.throwIfAborted();
        if (!Object.hasOwn(operations, operation)) {
          throw new WireError("validation_failed", "there is no such operation");
        }
        const received = readRequest(operation, value);
        const namespace = admittedNamespace(received.namespace, admitted);
        const request = namespace === undefined ? received : { ...received, namespace };
        const handler: Handler<ReceivedRequests[Name], Responses[Name]> = handlers[operation];
        const open: Resources["open"] = (mode) =>
          namespaces.open(namespace, mode, answered.promise);
        return await handler(request, { ...shared, open, signal });
      } catch (error) {
        answered.reject(error);
        throw isAbort(error, signal) ? error : toWireError(error, requestId);
      } finally {
        answered.resolve();
      }
    },
  };
}
