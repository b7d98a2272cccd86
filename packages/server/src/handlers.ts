import { hostname } from "node:os";
import type { Embedder } from "@pond/embed";
import {
  type OperationName,
  operations,
  type ReceivedRequests,
  type Responses,
  readRequest,
  WireError,
} from "@pond/wire";
import { isAbort, toWireError } from "./errors.ts";
import { get } from "./handlers/get.ts";
import { ingest } from "./handlers/ingest.ts";
import { restore } from "./handlers/restore.ts";
import { search } from "./handlers/search.ts";
import { status } from "./handlers/status.ts";
import { type HandlerLimits, limitsOf } from "./limits.ts";
import type { Namespaces } from "./namespaces.ts";
import type { Handler, Resources, Restorers } from "./resources.ts";
import { createUpkeep } from "./upkeep.ts";

export type HandlersOptions = {
  /** Where stores come from. Closed by whoever made it. */
  readonly namespaces: Namespaces;
  /** Makes searches hybrid where messages are embedded under its model. Never closed here. */
  readonly embedder?: Embedder | undefined;
  /** Why the configured model cannot be used; searches then go by words, and say so. */
  readonly embedderFailure?: Error | undefined;
  /** Left out, nothing can be restored. */
  readonly restorers?: Restorers | undefined;
  readonly limits?: Partial<HandlerLimits> | undefined;
  /** Name of this machine, kept with what is ingested. Default: as the system says. */
  readonly host?: string | undefined;
  readonly now?: (() => Date) | undefined;
  /** Told where indexes could not be kept up; searches stay complete, and a later ingest tries again. */
  readonly onUpkeepFailed?: ((error: unknown) => void) | undefined;
};

/** What a transport knows of a request beside the request. */
export type RequestContext = {
  readonly signal?: AbortSignal | undefined;
  /** Named in the answer where the server itself failed, so that the log can be searched for it. */
  readonly requestId?: string | undefined;
};

export type Handlers = {
  /**
   * Answers a request of any transport.
   *
   * @param request - As it came: JSON that `parseJson` of `@pond/canonical` read, nothing checked.
   * @throws {WireError} whatever goes wrong, with the error itself as `cause`.
   * @throws the reason of `signal`, where that is aborted.
   */
  handle<Name extends OperationName>(
    operation: Name,
    request: unknown,
    context?: RequestContext,
  ): Promise<Responses[Name]>;
};

const handlers: {
  readonly [Name in OperationName]: Handler<ReceivedRequests[Name], Responses[Name]>;
} = { search, get, ingest, status, restore };

/** The one way in, for every transport (spec 7.1). */
export function createHandlers(options: HandlersOptions): Handlers {
  const { namespaces, embedder, embedderFailure, restorers, host } = options;
  const shared: Omit<Resources, "open" | "signal"> = {
    embedding: { embedder, failure: embedderFailure },
    restorers: restorers ?? { writers: new Map() },
    limits: limitsOf(options.limits),
    host: host ?? hostname(),
    now: options.now ?? (() => new Date()),
    upkeep: createUpkeep(options.onUpkeepFailed ?? (() => undefined)),
  };
  return {
    async handle<Name extends OperationName>(
      operation: Name,
      value: unknown,
      { signal, requestId }: RequestContext = {},
    ): Promise<Responses[Name]> {
      try {
        signal?.throwIfAborted();
        if (!Object.hasOwn(operations, operation)) {
          throw new WireError("validation_failed", "there is no such operation");
        }
        const request = readRequest(operation, value);
        const handler: Handler<ReceivedRequests[Name], Responses[Name]> = handlers[operation];
        const open: Resources["open"] = (mode) => namespaces.open(request.namespace, mode);
        return await handler(request, { ...shared, open, signal });
      } catch (error) {
        throw isAbort(error, signal) ? error : toWireError(error, requestId);
      }
    },
  };
}
