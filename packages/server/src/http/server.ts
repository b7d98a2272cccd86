import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Handlers } from "../handlers.ts";
import { createApp } from "./app.ts";
import { Clients } from "./clients.ts";
import { Flights } from "./flights.ts";
import { createFramingCheck } from "./framing.ts";
import { type AllowedHosts, createHostCheck, isLoopback } from "./hosts.ts";
import { Intake } from "./intake.ts";
import { type HttpLimitOptions, limitsOf } from "./limits.ts";
import type { LogStream } from "./log.ts";
import type { HttpMount } from "./mount.ts";
import { createNodeServer } from "./node-server.ts";
import { Outbox } from "./outbox.ts";
import { busy } from "./refusals.ts";
import { addRoutes, healthPath, readyPath } from "./routes.ts";

/** Where the server listens, whom it believes, and what it refuses. */
export type HttpServerOptions = {
  readonly handlers: Handlers;
  /** Address to listen at. Default `127.0.0.1`, which only this machine reaches. */
  readonly host?: string | undefined;
  /** 0 takes a free one. */
  readonly port: number;
  /** Must be true for a `host` that others reach: pond does not ask who somebody is. */
  readonly isRemoteAllowed?: boolean | undefined;
  /** Names it may be called by, besides `host` and those of this machine. Default none. */
  readonly allowedHosts?: AllowedHosts | undefined;
  /**
   * Header in which what stands in front says the namespace of a request, which may be about no
   * other then; a request without it is about none. In lower case. Default: requests say it.
   */
  readonly namespaceHeader?: string | undefined;
  readonly limits?: HttpLimitOptions | undefined;
  /**
   * How many proxies stand in front that add who asked them to `X-Forwarded-For`; clients are told
   * apart by it. Default 0: anybody can send that header, so it is not read.
   */
  readonly trustedProxies?: number | undefined;
  /** Where log lines go. Default nowhere. */
  readonly logger?: LogStream | undefined;
  /** What else is answered, by path. Default nothing. */
  readonly mounts?: Readonly<Record<string, HttpMount>> | undefined;
  /** Throws where requests cannot be answered; `/readyz` asks it. */
  readonly checkReady?: (() => Promise<void>) | undefined;
};

/** An HTTP server that can be started and stopped once. */
export type HttpServer = {
  /**
   * @throws Where the address cannot be had: `code` is the system's, such as `EADDRINUSE`.
   * @throws {TypeError} after {@link stop}.
   */
  listen(): Promise<{ readonly host: string; readonly port: number; readonly url: string }>;
  /**
   * Takes no more requests, waits for those that are being answered, and ends what is left at the
   * deadline. The handlers' stores may be closed when it settles.
   *
   * @returns Whether everything was answered.
   */
  stop(options?: { readonly deadlineMs?: number | undefined }): Promise<boolean>;
};

const defaultHost = "127.0.0.1";
const defaultDeadlineMs = 10_000;
/** What was ended at the deadline has so long to say so. */
const lastWordsMs = 500;

/**
 * The handlers behind HTTP+JSON. It decodes, bounds and refuses; what is asked, it does not know
 * (spec 7.1).
 *
 * @throws {TypeError} for a `host` that others reach without `isRemoteAllowed`, and for a limit or a
 *   number of proxies that is none.
 */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { handlers, host = defaultHost, mounts = {}, checkReady = async () => {} } = options;
  if (!isLoopback(host) && options.isRemoteAllowed !== true) {
    throw new TypeError(`${host} can be reached by others; that needs isRemoteAllowed`);
  }
  const limits = limitsOf(options.limits);
  const { trustedProxies = 0 } = options;
  if (!(Number.isSafeInteger(trustedProxies) && trustedProxies >= 0)) {
    throw new TypeError(`trustedProxies: ${trustedProxies} is not a number of proxies`);
  }
  const flights = new Flights();
  const server = createNodeServer(limits);
  const checkFraming = createFramingCheck();
  const checkHost = createHostCheck(host, options.allowedHosts);
  let started: Promise<unknown> = Promise.resolve();
  let stopped: Promise<boolean> | undefined;
  const isStopping = (): boolean => stopped !== undefined;

  const admit = ({ raw, routeOptions: { url } }: FastifyRequest): void => {
    checkFraming(raw);
    // A probe calls the server by an address nobody listed, and learns nothing else.
    if (url !== healthPath && url !== readyPath) checkHost(raw);
    if (isStopping() && url !== healthPath) throw busy("stopping");
  };
  const { lingerMs, maxPerClient, maxUnsentBytes, sendTimeoutMs } = limits;
  const outbox = new Outbox(maxUnsentBytes, sendTimeoutMs);
  const intake = new Intake(limits, new Clients(maxPerClient, trustedProxies), outbox);
  const app = createApp({ server, flights, lingerMs, log: options.logger, admit, isStopping });
  const { namespaceHeader } = options;
  addRoutes(app, { handlers, namespaceHeader, mounts, checkReady, intake, outbox, flights });

  const stop = async (deadlineMs: number): Promise<boolean> => {
    const closed = app.close();
    const isAnswered = await flights.idle(deadlineMs);
    if (!isAnswered) {
      flights.abortAll(busy("stopping"));
      await flights.idle(lastWordsMs);
    }
    // Connections on which nothing was asked yet would keep it open.
    server.closeAllConnections();
    await closed;
    return isAnswered;
  };
  return {
    listen: async () => {
      // Nothing could stop it again.
      if (isStopping()) throw new TypeError("the server was stopped; create another one");
      const listening = listen(app, server, host, options.port);
      started = Promise.allSettled([started, listening]);
      return listening;
    },
    stop: ({ deadlineMs = defaultDeadlineMs } = {}) => {
      // What is about to listen would go on after its end.
      stopped ??= started.then(() => stop(deadlineMs));
      return stopped;
    },
  };
}

async function listen(
  app: FastifyInstance,
  server: Server,
  host: string,
  port: number,
): Promise<{ readonly host: string; readonly port: number; readonly url: string }> {
  // `localhost` may be two addresses, of which one would be taken.
  const address = host === "localhost" ? defaultHost : host;
  await app.listen({ host: address, port });
  const bound = server.address() as AddressInfo;
  const name = address.includes(":") ? `[${address}]` : address;
  return { host: address, port: bound.port, url: `http://${name}:${bound.port}` };
}
