import type { IncomingMessage, ServerResponse } from "node:http";
import { finished } from "node:stream/promises";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { InFlightRequest, InFlightRequests } from "./in-flight.ts";
import type { Intake } from "./intake.ts";
import type { Outbox } from "./outbox.ts";
import { failureOf, sendError } from "./send-error.ts";

/**
 * Answers the requests to one path in its own way, as MCP does. Host and Origin were checked, and
 * the body is bounded and parsed; it is undefined for methods that have none.
 */
export type HttpMount = (
  request: IncomingMessage,
  response: ServerResponse,
  body?: unknown,
) => Promise<void>;

/** Adds a mount to the app, for every method. */
export function addMount(
  app: FastifyInstance,
  path: string,
  mount: HttpMount,
  {
    intake,
    outbox,
    flights,
  }: { readonly intake: Intake; readonly outbox: Outbox; readonly flights: InFlightRequests },
): void {
  const countedMount: HttpMount = async (request, response, body) => {
    await mount(request, response, body);
    // Counts what the client has not read yet, as for every other answer; a stream is not over yet.
    const isWhole = response.writableEnded && !response.closed;
    if (isWhole) outbox.hold(response, response.writableLength);
  };
  app.all(path, async (request, reply) => {
    const flight = flights.of(request.raw);
    const passBody = (body?: unknown) => runMount(countedMount, request, reply, flight, body);
    if (request.method !== "POST") return passBody();
    try {
      await intake.run("mounted", request.raw, flight, passBody);
    } catch (error) {
      // An answer that was handed over ends there, even if the client has left.
      if (!reply.sent) throw error;
    }
  });
}

/** Never throws: once the mount owns the answer, the framework would only log an error. */
async function runMount(
  mount: HttpMount,
  request: FastifyRequest,
  reply: FastifyReply,
  flight: InFlightRequest,
  body: unknown,
): Promise<void> {
  const { raw: response } = reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined && name !== "content-type") response.setHeader(name, value);
  }
  const cut = (): void => void response.destroy();
  flight.signal.addEventListener("abort", cut, { once: true });
  try {
    await mount(request.raw, response, body);
    // The place is taken until the answer has been sent.
    await finished(response).catch(() => undefined);
  } catch (error) {
    const failure = failureOf(error, request);
    flight.setCode(failure.code);
    if (response.headersSent) response.destroy();
    else sendError(response, failure);
  } finally {
    flight.signal.removeEventListener("abort", cut);
  }
}
