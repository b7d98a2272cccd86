import { stringifyJson } from "@pond/canonical";
import { errorCodes, type WireError } from "@pond/wire";

export const requestIdHeader = "x-pond-request-id";

/** Headers of every answer. Nobody may cache what sessions say. */
export const commonHeaders: Readonly<Record<string, string>> = {
  "content-type": "application/json; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

/** An error in the form of HTTP. */
export type ErrorReply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** Seconds after which it is worth asking again. */
const retryAfter = "1";

/**
 * The code decides the status (spec 7.4). A Host or Origin that is not allowed has a status of its
 * own, 403, because clients of MCP and browsers go by it.
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
