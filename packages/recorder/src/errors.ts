import { PondError } from "@pond/canonical";
import type { LoopStatus } from "./record.ts";

/** An event that cannot happen in the current state of its loop. Nothing of it was recorded. */
export class IllegalTransitionError extends PondError {
  override readonly name = "IllegalTransitionError";
  readonly code = "illegal_transition";
  readonly details: {
    readonly loop_id: string;
    /** `Unknown`: no such loop was ever registered in this recorder. */
    readonly state: LoopStatus | "Unknown";
    readonly event: string;
  };

  constructor(loopId: string, state: LoopStatus | "Unknown", event: string, reason?: string) {
    const why = reason === undefined ? "" : `: ${reason}`;
    super(`${event} cannot happen: loop ${loopId} is ${state}${why}`);
    this.details = { loop_id: loopId, state, event };
  }
}

/** An event that contradicts itself or what was recorded. Nothing of it was recorded. */
export class InvalidEventError extends PondError {
  override readonly name = "InvalidEventError";
  readonly code = "invalid_event";
  readonly details: { readonly event: string; readonly reason: string };

  constructor(event: string, reason: string, options?: ErrorOptions) {
    super(`${event}: ${reason}`, options);
    this.details = { event, reason };
  }
}

/** A loop was to begin in a session that takes no more loops. */
export class SessionClosedError extends PondError {
  override readonly name = "SessionClosedError";
  readonly code = "session_closed";
  readonly details: {
    readonly session_id: string;
    /**
     * `rejected`: by `beforeTask`; `flushed` or `drained`: earlier; `open`: already open in this
     * recorder.
     */
    readonly state: ClosedState;
  };

  constructor(sessionId: string, state: ClosedState) {
    super(`session ${sessionId} ${remedies[state]}`);
    this.details = { session_id: sessionId, state };
  }
}

/** Why a session takes no more events. */
export type ClosedState = "rejected" | "flushed" | "drained" | "open";

const remedies: Readonly<Record<ClosedState, string>> = {
  rejected: "was rejected by beforeTask",
  flushed: "is over; resume it, or rotate",
  drained: "is over and was handed out; resume it, or rotate",
  open: "is open here already",
};

/** A session that was not recorded by this package, or whose log is damaged. */
export class NotResumableError extends PondError {
  override readonly name = "NotResumableError";
  readonly code = "not_resumable";
  readonly details: { readonly session_id: string; readonly reason: string };

  constructor(sessionId: string, reason: string, options?: ErrorOptions) {
    super(`session ${sessionId} cannot be continued: ${reason}`, options);
    this.details = { session_id: sessionId, reason };
  }
}

/** The stored session and the one to be saved are not the same log. */
export class ConflictError extends PondError {
  override readonly name = "ConflictError";
  readonly code = "conflict";
  readonly details: {
    readonly session_id: string;
    /**
     * A message that is stored but missing from what is to be saved; absent if a pond did not name
     * it.
     */
    readonly message_id?: string;
  };

  constructor(sessionId: string, messageId?: string) {
    const lost = messageId === undefined ? "some" : `message ${messageId}`;
    super(
      `session ${sessionId} was written by somebody else meanwhile: ${lost} of it is missing in what is to be saved; load it and continue from there`,
    );
    this.details = {
      session_id: sessionId,
      ...(messageId !== undefined && { message_id: messageId }),
    };
  }
}

/** A pond took some of what it was sent and refused the rest. */
export class IngestRefusedError extends PondError {
  override readonly name = "IngestRefusedError";
  readonly code = "ingest_refused";
  readonly details: { readonly session_id: string; readonly rejected: readonly Refusal[] };

  constructor(sessionId: string, rejected: readonly Refusal[]) {
    const [first] = rejected;
    super(
      `${rejected.length} events of session ${sessionId} were refused, the first: ${first?.message}`,
    );
    this.details = { session_id: sessionId, rejected };
  }
}

/** Why a pond did not take an event. */
export type Refusal = { readonly code: string; readonly message: string };
