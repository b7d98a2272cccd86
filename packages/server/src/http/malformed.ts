import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { WireError } from "@pond/wire";
import type { FastifyBaseLogger } from "fastify";
import { errorReply, requestIdHeader } from "./error-reply.ts";
import type { InFlightRequests } from "./in-flight.ts";
import { logMalformed } from "./log.ts";
import { refused } from "./refusals.ts";

/**
 * Answers what never became a request: Node could not read it, or waited too long for it. If a
 * request of the same connection is being answered, that answer is the last.
 */
export function answerMalformed(
  error: Error & { readonly code?: string },
  socket: Socket,
  { flights, log }: { readonly flights: InFlightRequests; readonly log: FastifyBaseLogger },
): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal = refusalOf(error.code);
  if (flights.isAnswering(socket)) {
    flights.finish(socket, refusal);
    return;
  }
  const { status, headers, body } = errorReply(refusal);
  const id = randomUUID();
  const bytes = Buffer.byteLength(body);
  logMalformed(log, { id, status, code: refusal.code, bytes });
  const lines = Object.entries({
    ...headers,
    [requestIdHeader]: id,
    "content-length": String(bytes),
    connection: "close",
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`, () =>
    socket.destroy(),
  );
}

function refusalOf(code: string | undefined): WireError {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return refused("headers_too_slow", "the request took too long to arrive");
  }
  if (code === "HPE_HEADER_OVERFLOW") {
    return refused("headers_too_large", "the headers of the request are too large");
  }
  return refused("http_malformed", "the request is not valid HTTP/1.1");
}
