import { stringifyJson } from "@pond/canonical";
import { errorCodes, type WireError } from "@pond/wire";

export const requestIdHeader = "x-pond-request-id";

/** Headers of every answer. What sessions say is nobody's to keep. */
export const commonHeaders: Readonly<Record<string, string>> = {
  "content-type": "application/json; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

/** An error as HTTP says it. */
export type ErrorReply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** Seconds after which it is worth asking again. */
const retryAfter = "1";

/**
 * The code decides the status (spec 7.4). Two refusals have one of their own, because clients of
 * MCP and browsers are told by it: a Host or Origin that is not allowed is 403.
 */
export function errorReply(error: WireError): ErrorReply {
  const { httpStatus } = errorCodes[error.code];
  const { kind } = error.details;
  const isForbidden = kind === "host_not_allowed" || kind === "origin_not_allowed";
  return {
    status: isForbidden ? 403 : httpStatus,
    headers: {
      ...commonHeaders,
      ...(httpStatus === 503 && { "retry-after": retryAfter }),
    },
    body: stringifyJson(error.toBody()),
  };
}
