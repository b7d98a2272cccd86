import type { Handlers } from "@pond/server";
import { StorageUnavailableError } from "@pond/substrate";
import { WireError } from "@pond/wire";
import type { Log } from "./log.ts";

/**
 * Wraps the handlers so that the operator is told why storage failed. Tenants learn only that it
 * did, and neither bucket nor folder.
 */
export function withStorageFailureLog(handlers: Handlers, log: Log): Handlers {
  return {
    async handle(operation, request, context) {
      try {
        return await handlers.handle(operation, request, context);
      } catch (error) {
        if (error instanceof WireError) logStorageFailure(log, error.cause);
        throw error;
      }
    },
  };
}

/**
 * Logs the message of a storage error, which knows nothing of a session; any other error is left
 * alone.
 */
export function logStorageFailure(log: Log, error: unknown): void {
  if (!(error instanceof StorageUnavailableError)) return;
  const { location, reason } = error.details;
  log.error("storage does not answer", { location, reason });
}
