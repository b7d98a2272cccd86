import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from "fastify";
import { ClientGoneError, type InFlightRequest } from "./in-flight.ts";

/** The target of log lines: JSON, one object a line. */
export type LogStream = {
  /** Takes one line including its end. */
  write(line: string): void;
};

/** The status that nginx logs for a client that left; nothing is sent. */
const clientGone = 499;

/**
 * Logs one line per request, with nothing in it that a client or a session said: no path, no
 * header, no body, no message of an error.
 */
export function logAnswer(
  { log, raw }: FastifyRequest,
  reply: FastifyReply,
  { operation, flight }: { readonly operation: string; readonly flight: InFlightRequest },
): void {
  const isGone = flight.signal.reason instanceof ClientGoneError;
  const { statusCode } = reply.raw;
  const line = {
    operation,
    status: isGone ? clientGone : statusCode,
    code: isGone ? "client_gone" : codeOf(flight, statusCode),
    ms: Math.round(performance.now() - flight.startedMs),
    bytes_in: Number(raw.headers["content-length"] ?? 0),
    bytes_out: Number(reply.getHeader("content-length") ?? 0),
  };
  if (line.code === "internal") log.error(line, "answered");
  else log.info(line, "answered");
}

/**
 * A mount answers in its own way and reports no code, so a refusal of it is logged by its status.
 */
function codeOf({ code }: InFlightRequest, status: number): string {
  if (code !== "ok" || status < 400) return code;
  return status < 500 ? "validation_failed" : "internal";
}

/** Logs the same line for something that was refused before it was a request. */
export function logMalformed(
  log: FastifyBaseLogger,
  { id, bytes, ...refusal }: { id: string; status: number; code: string; bytes: number },
): void {
  const sizes = { ms: 0, bytes_in: 0, bytes_out: bytes };
  log.info({ request_id: id, operation: "none", ...refusal, ...sizes }, "answered");
}

/** Logs where an unexpected error came from. Its message may quote a session, so it stays out. */
export function logUnexpected({ log }: FastifyRequest, error: unknown): void {
  const { name, stack = "" } = error instanceof Error ? error : { name: typeof error };
  const frames = stack
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .map((line) => line.trim());
  log.error({ error: name, frames }, "unexpected error");
}
