import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Handlers } from "../handlers.ts";
import { createApp } from "./app.ts";
import { Clients } from "./clients.ts";
import { createFramingCheck } from "./framing.ts";
import { type AllowedHosts, createHostCheck, isLoopback } from "./hosts.ts";
import { InFlightRequests } from "./in-flight.ts";
import { Intake } from "./intake.ts";
import { type HttpLimitOptions, limitsOf } from "./limits.ts";
import type { LogStream } from "./log.ts";
import type { HttpMount } from "./mount.ts";
import { createNodeServer } from "./node-server.ts";
import { Outbox } from "./outbox.ts";
import { busy } from "./refusals.ts";
import { addRoutes, healthPath, readyPath } from "./routes.ts";

/** Where the server listens, whom it trusts, and what it refuses. */
export type HttpServerOptions = {
  readonly handlers: Handlers;
  /** Address to listen at. Default: `127.0.0.1`, which only this machine reaches. */
  readonly host?: string | undefined;
  /** 0 takes a free port. */
  readonly port: number;
  /**
   * Has to be true for a `host` that others can reach, because pond does not authenticate callers.
   */
  readonly isRemoteAllowed?: boolean | undefined;
  /** Names by which it may be called, besides `host` and those of this machine. Default: none. */
  readonly allowedHosts?: AllowedHosts | undefined;
  /**
   * Header in which a proxy in front names the namespace of a request, in lower case. A request may
   * then use no other, and one without the header may use none. Default: requests name it
   * themselves.
   */
  readonly namespaceHeader?: string | undefined;
  readonly limits?: HttpLimitOptions | undefined;
  /**
   * How many proxies in front add the caller to `X-Forwarded-For`, by which clients are told apart.
   * Default: 0, which does not read the header, because anybody can send it.
   */
  readonly trustedProxies?: number | undefined;
  /** The target of log lines. Default: nowhere. */
  readonly logger?: LogStream | undefined;
  /** What else is answered, by path. Default: nothing. */
  readonly mounts?: Readonly<Record<string, HttpMount>> | undefined;
  /** Throws if requests cannot be answered; `/readyz` calls it. */
  readonly checkReady?: (() => Promise<void>) | undefined;
};

/** An HTTP server that can be started and stopped once. */
export type HttpServer = {
  /**
   * @throws If the address cannot be had: `code` is the system's, such as `EADDRINUSE`.
   * @throws {TypeError} after {@link stop}.
   */
  listen(): Promise<{ readonly host: string; readonly port: number; readonly url: string }>;
  /**
   * Accepts no more requests, waits for those that are being answered, and ends the rest at the
   * deadline. When it settles, the handlers' stores may be closed.
   *
   * @returns Whether everything was answered.
   */
  stop(options?: { readonly deadlineMs?: number | undefined }): Promise<boolean>;
};

const defaultHost = "127.0.0.1";
const defaultDeadlineMs = 10_000;
/** How long requests that were ended at the deadline have for their last answer. */
const finalAnswerMs = 500;

/**
 * Offers the handlers over HTTP+JSON. It decodes, limits and refuses requests, but does not know
 * what they ask (spec 7.1).
 *
 * @throws {TypeError} for a `host` that others can reach without `isRemoteAllowed`, and for an
 * invalid limit or number of proxies.
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
  const flights = new InFlightRequests();
  const server = createNodeServer(limits);
  const checkFraming = createFramingCheck();
  const checkHost = createHostCheck(host, options.allowedHosts);
  let started: Promise<unknown> = Promise.resolve();
  let stopped: Promise<boolean> | undefined;
  const isStopping = (): boolean => stopped !== undefined;

  const admit = ({ raw, routeOptions: { url } }: FastifyRequest): void => {
    checkFraming(raw);
    // A probe calls the server by an address that nobody listed, and learns nothing else.
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
      await flights.idle(finalAnswerMs);
    }
    // Connections without a request yet would keep it open.
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
      // If it is about to listen, it would go on after its end.
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
  // `localhost` may stand for two addresses, of which only one would be used. The system knows no
  // brackets, in which a URL has an IPv6 address.
  const address = /^localhost$/i.test(host) ? defaultHost : host.replace(/^\[(.*)\]$/, "$1");
  await app.listen({ host: address, port });
  const bound = server.address() as AddressInfo;
  const name = address.includes(":") ? `[${address}]` : address;
  return { host: address, port: bound.port, url: `http://${name}:${bound.port}` };
}
