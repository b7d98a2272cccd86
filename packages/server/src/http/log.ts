import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from "fastify";
import { ClientGoneError, type Flight } from "./flights.ts";

/** Where log lines go: JSON, one a line. */
export type LogStream = {
  /** Takes one line, its end included. */
  write(line: string): void;
};

/** What nginx logs for a client that left; nothing is sent. */
const clientGone = 499;

/**
 * One line a request, and nothing in it that a client or a session said: no path, no header, no
 * body, no message of an error.
 */
export function logAnswer(
  { log, raw }: FastifyRequest,
  reply: FastifyReply,
  { operation, flight }: { readonly operation: string; readonly flight: Flight },
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

/** What a mount answers in its own way says no code: a refusal of it is told by its status. */
function codeOf({ code }: Flight, status: number): string {
  if (code !== "ok" || status < 400) return code;
  return status < 500 ? "validation_failed" : "internal";
}

/** The same line for what was refused before it was a request. */
export function logMalformed(
  log: FastifyBaseLogger,
  { id, bytes, ...refusal }: { id: string; status: number; code: string; bytes: number },
): void {
  const sizes = { ms: 0, bytes_in: 0, bytes_out: bytes };
  log.info({ request_id: id, operation: "none", ...refusal, ...sizes }, "answered");
}

/** Says where an unexpected error came from. Its message may quote a session, so it stays out. */
export function logUnexpected({ log }: FastifyRequest, error: unknown): void {
  const { name, stack = "" } = error instanceof Error ? error : { name: typeof error };
  const frames = stack
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .map((line) => line.trim());
  log.error({ error: name, frames }, "unexpected error");
}
