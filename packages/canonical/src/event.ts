import type { SourceFault } from "./errors.ts";
import type { MessageHeader } from "./message.ts";
import type { Part, ProviderOptions } from "./part.ts";
import type { Session } from "./session.ts";

/** Opens a session: its first event (`adapter-integrity-event-ordering`). */
export type SessionEvent = {
  readonly kind: "session";
  readonly session: Session;
  /** How many source records only this event keeps. Default: none. */
  readonly records?: number;
  /**
   * What the source says of the session's origin but cannot be looked up, because a file is missing
   * now: `cut_point` if the parent is certain; `parent` if the parent is unknown too, or only
   * suggested by a name. The stored value stays; a stored cut-point stays only if the parent is the
   * same.
   */
  readonly unresolved?: "parent" | "cut_point";
};
/** Opens a message. Its parts follow, in order, before the next one. */
export type MessageEvent = {
  readonly kind: "message";
  readonly message: MessageHeader;
  /**
   * How many source records the message and its parts keep. Default: one. The second message of a
   * record has none (`adapter-integrity-no-silent-drops`).
   */
  readonly records?: number;
  /**
   * True if a file that belongs to the message could not be read. The stored value then stays as it
   * is, because it may have come with the file.
   */
  readonly isIncomplete?: boolean;
  /**
   * Tells from the options of the stored message and its parts whether they hold what could not be
   * read. If they do not, the new value is stored like any other. Default: they do.
   */
  readonly isStoredComplete?: (stored: {
    readonly options: ProviderOptions;
    readonly parts: readonly { readonly options: ProviderOptions }[];
  }) => boolean;
};
/** One part of the message before it. */
export type PartEvent = { readonly kind: "part"; readonly part: Part };

/**
 * One canonical object of a session's stream. Order: the Session, then each Message with its
 * Parts right behind it (`adapter-integrity-event-ordering`). Messages come in the order of the
 * source's own log, which need not be that of their timestamps.
 */
export type CanonicalEvent = SessionEvent | MessageEvent | PartEvent;

/** A record that could not be read. Everything else of its session still comes. */
export type FaultEvent = {
  readonly kind: "fault";
  readonly fault: SourceFault;
  /** How many source records are lost. Default: one. None if what the fault names is kept. */
  readonly records?: number;
  /**
   * True if every record of the log was read all the same, for example when only a file beside the
   * log is gone: a message that is missing then was removed. Otherwise it may lie after the fault.
   */
  readonly isLogWhole?: boolean;
  /**
   * True if the client left behind what the fault names, never finished writing it, or said nothing
   * in it: nobody has to do anything about it. It is reported once, and whenever somebody asks. For
   * a log that is read, this holds only if all faults of the log are of this kind.
   */
  readonly isLeftover?: boolean;
  /**
   * True if the log is worth reading again although it stays the same, because another log beside
   * it may say what it lacks. Default: true for faults where the operating system refused
   * something.
   */
  readonly isRetryable?: boolean;
};

/**
 * A record that is not complete yet, such as a last line that is still being written. It may be any
 * message that is missing, so none counts as removed until the next read.
 */
export type PendingEvent = {
  readonly kind: "pending";
  /** `uri:record`, for people. */
  readonly location: string;
  /** What is missing, for people. */
  readonly reason: string;
  /** How many source records wait. Default: one. */
  readonly records?: number;
};

/** What a Reader yields. */
export type ReadEvent = CanonicalEvent | FaultEvent | PendingEvent;

/** How many source records an event accounts for. */
export function recordCountOf(event: ReadEvent): number {
  switch (event.kind) {
    case "session":
      return event.records ?? 0;
    case "part":
      return 0;
    case "message":
    case "fault":
    case "pending":
      return event.records ?? 1;
  }
}
