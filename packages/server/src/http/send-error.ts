import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { WireError } from "@pond/wire";
import type { FastifyRequest } from "fastify";
import { errorReply, requestIdHeader } from "./error-reply.ts";
import { ClientGoneError } from "./in-flight.ts";
import { logUnexpected } from "./log.ts";
import { badContentType, busy, refused } from "./refusals.ts";

/**
 * The error that a client is told. About an unexpected one it learns only that there was one,
 * because its text may quote a session.
 */
export function failureOf(error: unknown, request: FastifyRequest): WireError {
  const failure = toWire(error);
  if (failure.code === "internal") logUnexpected(request, failure.cause ?? error);
  return failure;
}

function toWire(error: unknown): WireError {
  if (error instanceof WireError) return error;
  // Nobody is there to read it.
  if (error instanceof ClientGoneError) return busy("client_gone");
  const refusal = refusalCodeOf(error);
  if (refusal.startsWith("FST_ERR_CTP_")) return badContentType();
  if (refusal !== "") return refused("http_malformed", "the request cannot be read");
  return new WireError(
    "internal",
    "something unexpected happened; see the server's log",
    {},
    {
      cause: error,
    },
  );
}

/** Answers with an error outside of the framework. */
export function sendError(response: ServerResponse, error: WireError): void {
  const { status, headers, body } = errorReply(error);
  const id = response.getHeader(requestIdHeader) ?? randomUUID();
  const length = Buffer.byteLength(body);
  response.writeHead(status, { ...headers, [requestIdHeader]: id, "content-length": length });
  response.end(body);
}

/** The code of a refusal by the framework itself, such as one of a path that cannot be decoded. */
function refusalCodeOf(error: unknown): string {
  if (!(error instanceof Error) || !("code" in error && "statusCode" in error)) return "";
  const { code, statusCode } = error;
  return String(code).startsWith("FST_ERR_") && Number(statusCode) < 500 ? String(code) : "";
}
