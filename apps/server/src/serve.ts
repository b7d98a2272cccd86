import { setTimeout as sleep } from "node:timers/promises";
import { adapters, meaningsOf } from "@pond/adapters";
import { openEmbedder } from "@pond/embed";
import { createHandlers, type Handlers, type Restorers } from "@pond/server";
import { createHttpServer, type HttpServer } from "@pond/server/http";
import type { Config } from "./config.ts";
import type { Log } from "./log.ts";
import { mcpMounts } from "./mcp.ts";
import { createReadyCheck, openCaches, probeStorage } from "./storage.ts";
import { logStorageFailure, withStorageFailureLog } from "./storage-failures.ts";
import { createTenants, type TenantsInit } from "./tenants.ts";

/** A running server. */
export type Running = {
  readonly url: string;
  /**
   * Answers the requests that came and closes everything that is open, both as far as there is
   * time.
   */
  stop(): Promise<void>;
};

/**
 * Serves every tenant over HTTP and MCP.
 *
 * @throws If the storage would lose writes, or the model or the address cannot be had.
 */
export async function serve(config: Config, version: string, log: Log): Promise<Running> {
  const { storage, storageOptions, policy, maxOpenNamespaces: maxOpen } = config;
  const place = { storage, storageOptions, caches: openCaches(config) };
  await probeStorage(place);
  const embedder = config.embeddings && (await openEmbedder(config.embeddings));
  const onHeal: TenantsInit["onHeal"] = ({ table, movedTo }) =>
    log.error("a table was torn; its previous state is used", { table, set_aside: movedTo });
  const onMissingIndex: TenantsInit["onMissingIndex"] = ({ table, column }) =>
    log.error("an index is not complete, so a search may miss messages", { table, column });
  const tenants = createTenants({ ...place, policy, maxOpen, onHeal, onMissingIndex });
  const answering = createHandlers({
    namespaces: tenants,
    embedder,
    restorers: restorers(),
    limits: config.handlerLimits,
    onIndexUpdateFailed: (error) => log.failure("indexes were not updated", error),
    onWarningWithheld: ({ message }) =>
      log.error("a search did not go by meaning", { reason: message }),
  });
  const handlers = withStorageFailureLog(answering, log);
  const isReady = createReadyCheck(place, config.readyMs);
  const checkReady = () =>
    isReady().catch((error) => {
      logStorageFailure(log, error);
      throw error;
    });
  const server = createServer(config, { handlers, version, log, checkReady });
  const close = async (): Promise<void> => {
    await tenants.close();
    await embedder?.close();
  };
  try {
    const { url } = await server.listen();
    return { url, stop: () => stop(server, close, config.stopMs, log) };
  } catch (error) {
    await server.stop();
    await close();
    throw error;
  }
}

type ServerParts = {
  readonly handlers: Handlers;
  readonly version: string;
  readonly log: Log;
  readonly checkReady: () => Promise<void>;
};

function createServer(
  config: Config,
  { handlers, version, log, checkReady }: ServerParts,
): HttpServer {
  const { host, port, isRemoteAllowed, allowedHosts, namespaceHeader, trustedProxies } = config;
  const onFailure = (error: unknown): void => log.failure("an MCP call failed", error);
  return createHttpServer({
    ...{ handlers, host, port, isRemoteAllowed, allowedHosts, namespaceHeader, trustedProxies },
    limits: config.httpLimits,
    logger: log.stream,
    mounts: mcpMounts({ handlers, version, namespaceHeader, onFailure }),
    checkReady,
  });
}

/** Every client that pond knows. */
function restorers(): Restorers {
  return {
    writers: new Map(adapters.map(({ origin, to }) => [origin, to])),
    meanings: meaningsOf(),
  };
}

/** Index maintenance under way is abandoned; a later ingest continues it. */
const minCloseMs = 1_000;

async function stop(
  server: HttpServer,
  close: () => Promise<void>,
  stopMs: number,
  log: Log,
): Promise<void> {
  const startedMs = performance.now();
  log.info("stopping");
  const isAnswered = await server.stop({ deadlineMs: stopMs });
  const leftMs = Math.max(minCloseMs, stopMs - (performance.now() - startedMs));
  const isClosed = await Promise.race([
    close().then(() => true),
    sleep(leftMs, false, { ref: false }),
  ]);
  log.info("stopped", { is_answered: isAnswered, is_closed: isClosed });
}
