import type { SourceFault } from "./errors.ts";
import type { MessageHeader } from "./message.ts";
import type { Part, ProviderOptions } from "./part.ts";
import type { Session } from "./session.ts";

/** Opens a session: the first event of it (`adapter-integrity-event-ordering`). */
export type SessionEvent = {
  readonly kind: "session";
  readonly session: Session;
  /** How many source records nothing but this event keeps; none where left out. */
  readonly records?: number;
  /**
   * What the source says of its origin that could not be looked up, because a file is not there now:
   * `cut_point` where the parent is certain, `parent` where it is unknown, too, or only what a name
   * suggests. What is stored of it stays, a cut-point only with the same parent.
   */
  readonly unresolved?: "parent" | "cut_point";
};
/** Opens a message. Its parts follow, in order, before the next one. */
export type MessageEvent = {
  readonly kind: "message";
  readonly message: MessageHeader;
  /**
   * How many source records the message and its parts keep; one where left out, none for the
   * second message of a record (`adapter-integrity-no-silent-drops`).
   */
  readonly records?: number;
  /**
   * True where a file that belongs into it could not be read: what is stored of it stays as it is,
   * for that may have come with the file.
   */
  readonly isLacking?: boolean;
  /**
   * True of what is stored of such a message where that holds what could not be read, by the options
   * of it and of its parts. Else its later value is stored like any other. Left out, it counts as if
   * it did.
   */
  readonly isHeldBy?: (stored: {
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

/** A record that could not be read; everything else of its session still comes. */
export type FaultEvent = {
  readonly kind: "fault";
  readonly fault: SourceFault;
  /** How many source records it costs; one where left out, none where what it names is kept. */
  readonly records?: number;
  /**
   * True where every record of the log was read all the same, as where a file beside it is gone:
   * a message that is missing then was removed. Where left out, it may be behind the fault.
   */
  readonly isLogWhole?: boolean;
  /**
   * True where the client left behind what it names, or nothing in it was said: nobody has to do
   * something about it. It is told once, and where somebody asks. Of what is read, where all that is told
   * of one log is so.
   */
  readonly isLeftover?: boolean;
  /**
   * True where the log is worth another look though it stays the same, because another beside it may
   * say what it lacks. Where left out, it is where the operating system refused something.
   */
  readonly mayPass?: boolean;
};

/** A record that is not complete yet, such as a last line still being written. */
export type PendingEvent = {
  readonly kind: "pending";
  /** `uri:record`, for people. */
  readonly location: string;
  /** What is missing, for people. */
  readonly reason: string;
  /** How many source records wait; one where left out. */
  readonly records?: number;
};

/** What a Reader yields. */
export type ReadEvent = CanonicalEvent | FaultEvent | PendingEvent;

/** How many source records an event accounts for. */
export function recordsOf(event: ReadEvent): number {
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
