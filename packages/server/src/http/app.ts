import { randomUUID } from "node:crypto";
import type { Server } from "node:http";
import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  fastify,
  LogController,
} from "fastify";
import { commonHeaders, errorReply, requestIdHeader } from "./error-reply.ts";
import type { InFlightRequests } from "./in-flight.ts";
import { linger } from "./lingering.ts";
import { type LogStream, logAnswer } from "./log.ts";
import { answerMalformed } from "./malformed.ts";
import { refused, unknownPathError } from "./refusals.ts";
import { routeName } from "./routes.ts";
import { failureOf } from "./send-error.ts";

export type AppOptions = {
  readonly server: Server;
  readonly flights: InFlightRequests;
  readonly lingerMs: number;
  readonly log: LogStream | undefined;
  /** @throws {WireError} for a request that is not admitted. */
  readonly admit: (request: FastifyRequest) => void;
  readonly isStopping: () => boolean;
};

/** Fastify with what every request has: its id, its flight, its log line, its errors. */
export function createApp(options: AppOptions): FastifyInstance {
  const { server, flights, lingerMs, admit, isStopping } = options;
  const fail = (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
    sendFailure(error, request, reply, flights);
  const finish = (request: FastifyRequest, reply: FastifyReply): void => {
    const { raw, routeOptions } = request;
    logAnswer(request, reply, { operation: routeName(routeOptions.url), flight: flights.of(raw) });
    flights.close(raw);
    linger(raw, lingerMs);
  };
  const app = fastify({
    serverFactory: (listener) => server.on("request", listener),
    // A client's own name for its request is not used as the id.
    requestIdHeader: false,
    genReqId: () => randomUUID(),
    logger: loggerOptions(options.log),
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: "request_id",
    }),
    // A stop is reported in our own words.
    return503OnClosing: false,
    clientErrorHandler: (error, socket) =>
      answerMalformed(error, socket, { flights, log: app.log }),
    frameworkErrors: fail,
  });
  // Bodies are read by the routes that need one, and by nobody else.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));

  const methods = new Map<string, string[]>();
  app.addHook("onRoute", ({ url, method }) => {
    methods.set(url, [...(methods.get(url) ?? []), ...[method].flat()]);
  });
  app.addHook("onRequest", (request, reply, done) => {
    flights.open(request.raw, reply.raw);
    // A connection that breaks is noticed by whoever reads it, or nobody reads it any more; without
    // this the process would end.
    request.raw.on("error", () => undefined);
    // The framework's own hook is not called if the client has left.
    reply.raw.once("close", () => finish(request, reply));
    reply.headers({ ...commonHeaders, [requestIdHeader]: request.id });
    try {
      admit(request);
      done();
    } catch (error) {
      done(error as Error);
    }
  });
  app.addHook("onSend", (_request, reply, payload, done) => {
    if (isStopping()) reply.header("connection", "close");
    done(null, payload);
  });
  app.setErrorHandler(fail);
  app.setNotFoundHandler((request, reply) => {
    // Not taken from the framework, because a client's path is not the pattern of a route.
    const allow = methods.get(request.url.split("?", 1)[0] ?? "")?.join(", ");
    if (allow === undefined) return fail(unknownPathError(), request, reply);
    reply.header("allow", allow);
    return fail(refused("method_not_allowed", `this path takes ${allow}`), request, reply);
  });
  return app;
}

function sendFailure(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  flights: InFlightRequests,
): FastifyReply {
  const failure = failureOf(error, request);
  flights.find(request.raw)?.setCode(failure.code);
  const { status, headers, body } = errorReply(failure);
  // What follows on that connection cannot be told apart from it.
  if (failure.details["kind"] === "http_malformed") reply.header("connection", "close");
  return reply
    .code(status)
    .headers({ ...headers, [requestIdHeader]: request.id })
    .send(body);
}

function loggerOptions(stream: LogStream | undefined): NonNullable<FastifyServerOptions["logger"]> {
  if (stream === undefined) return false;
  const timestamp = (): string => `,"time":"${new Date().toISOString()}"`;
  return { stream, base: null, timestamp };
}
