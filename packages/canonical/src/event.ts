import type { SourceFault } from "./errors.ts";
import type { MessageHeader } from "./message.ts";
import type { Part } from "./part.ts";
import type { Session } from "./session.ts";

export type SessionEvent = { readonly kind: "session"; readonly session: Session };
export type MessageEvent = { readonly kind: "message"; readonly message: MessageHeader };
export type PartEvent = { readonly kind: "part"; readonly part: Part };

/**
 * One canonical object of a session's stream. Order: the Session, then each Message with its
 * Parts right behind it (`adapter-integrity-event-ordering`). Messages come in the order of the
 * source's own log, which need not be that of their timestamps.
 */
export type CanonicalEvent = SessionEvent | MessageEvent | PartEvent;

/** A record that could not be read; everything else of its session still comes. */
export type FaultEvent = { readonly kind: "fault"; readonly fault: SourceFault };

/** A record that is not complete yet, such as a last line still being written. */
export type PendingEvent = {
  readonly kind: "pending";
  /** `uri:record`, for people. */
  readonly location: string;
  readonly reason: string;
};

/** What a Reader yields. */
export type ReadEvent = CanonicalEvent | FaultEvent | PendingEvent;
