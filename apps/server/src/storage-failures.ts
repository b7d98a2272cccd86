import type { Handlers } from "@pond/server";
import { StorageUnavailableError } from "@pond/substrate";
import { WireError } from "@pond/wire";
import type { Log } from "./log.ts";

/**
 * The same handlers, whose operator is told why storage failed: tenants learn that it did, and
 * neither bucket nor folder.
 */
export function tellingStorageFailures(handlers: Handlers, log: Log): Handlers {
  return {
    async handle(operation, request, context) {
      try {
        return await handlers.handle(operation, request, context);
      } catch (error) {
        if (error instanceof WireError) tellStorageFailure(log, error.cause);
        throw error;
      }
    },
  };
}

/** The words are those of storage, which knows of no session; any other error is left alone. */
export function tellStorageFailure(log: Log, error: unknown): void {
  if (!(error instanceof StorageUnavailableError)) return;
  const { location, reason } = error.details;
  log.error("storage does not answer", { location, reason });
}
