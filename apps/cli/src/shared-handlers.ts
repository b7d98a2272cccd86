import { type Client, ConnectionError, createClient } from "@pond/client";
import type { Handlers } from "@pond/server";
import type { Context } from "./context.ts";
import { findServer } from "./running-server.ts";

/**
 * Runs `use` with handlers that ask the `pond serve` of this store if one runs. Each agent starts a
 * `pond mcp`, and an open store and model in each of them would cost their memory that many times.
 * If none runs, or it goes away, the store is opened here and stays open.
 */
export async function withSharedHandlers<T>(
  context: Context,
  use: (handlers: Handlers) => Promise<T>,
): Promise<T> {
  const done = Promise.withResolvers<void>();
  let own: OwnHandlers | undefined;
  const handlers: Handlers = {
    async handle(operation, request, requestContext) {
      const server = own === undefined ? await findServer(context) : undefined;
      if (server !== undefined) {
        try {
          // A server that is gone is not waited for, because the store is here, too.
          const client = createClient({ url: server.url, retries: 0 });
          const ask = client[operation] as AskServer;
          return (await ask(request, { signal: requestContext?.signal })) as never;
        } catch (error) {
          if (!(error instanceof ConnectionError)) throw error;
        }
      }
      own ??= openOwn(context, done.promise);
      return (await own.opened).handle(operation, request, requestContext);
    },
  };
  try {
    return await use(handlers);
  } finally {
    done.resolve();
    await own?.closed;
  }
}

/** Any operation; the server checks the request. */
type AskServer = (request: unknown, options: Parameters<Client["get"]>[1]) => Promise<unknown>;

type OwnHandlers = { readonly opened: Promise<Handlers>; readonly closed: Promise<void> };

function openOwn(context: Context, done: Promise<void>): OwnHandlers {
  const { promise: opened, resolve, reject } = Promise.withResolvers<Handlers>();
  const hold = async (handlers: Handlers): Promise<void> => {
    resolve(handlers);
    await done;
  };
  // Loaded here, because this is what costs the memory.
  const closed = import("./handlers.ts").then(({ withHandlers }) => withHandlers(context, hold));
  return { opened, closed: closed.catch(reject) };
}
