import { PondError } from "@pond/canonical";
import { type ErrorBody, WireError } from "@pond/wire";

/** A request that the server refused or could not answer, in the server's own words. */
export class ServerError extends WireError {
  /** The HTTP status. */
  readonly status: number;
  /** Identifies the request in the server's log. */
  readonly requestId: string | undefined;

  constructor({ error }: ErrorBody, status: number, requestId: string | undefined) {
    super(error.code, error.message, error.details);
    this.status = status;
    this.requestId = requestId;
  }
}

/**
 * No complete answer of the server arrived: nothing listens, the connection broke, or the time was
 * up.
 */
export class ConnectionError extends PondError {
  override readonly name = "ConnectionError";
  readonly code = "connection_failed";
  readonly details: {
    /** The address that was asked, without its query. */
    readonly url: string;
    readonly reason: string;
    readonly attempts: number;
    /** The HTTP status of whatever stands in front of the server, if that answered instead. */
    readonly status?: number;
    readonly isTimeout?: true;
  };

  constructor(details: ConnectionError["details"], options?: ErrorOptions) {
    const { url, reason, attempts } = details;
    super(`${url}: ${reason}${attempts > 1 ? ` (tried ${attempts} times)` : ""}`, options);
    this.details = details;
  }
}

/**
 * An answer that does not follow this protocol: another service listens there, or another version.
 */
export class AnswerError extends PondError {
  override readonly name = "AnswerError";
  readonly code = "answer_invalid";
  readonly details: {
    /** The address that was asked, without its query. */
    readonly url: string;
    readonly reason: string;
    /** The HTTP status. */
    readonly status: number;
    /** The place in the answer that does not fit, such as `sessions.0.score`. */
    readonly path?: string;
    /** Identifies the request in the server's log. */
    readonly requestId?: string;
  };

  constructor(details: AnswerError["details"], options?: ErrorOptions) {
    const { url, path, reason } = details;
    super(`${url}: the answer${path === undefined ? "" : `, at ${path},`} ${reason}`, options);
    this.details = details;
  }
}
