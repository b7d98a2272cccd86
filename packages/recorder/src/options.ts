import type { SessionRecord } from "./record.ts";
import type { SessionSink } from "./saver.ts";

/** What a recorder knows about its agent. */
export type RecorderOptions = {
  /**
   * The brand of the agent: the `source_agent` of its sessions. Not the brand of a client that pond
   * knows.
   */
  readonly agent: string;
  /** The scope that its sessions belong to: the working directory, if it has one. */
  readonly project: string;
  /** Where sessions are saved as they grow. Without it, only `drain` hands them out. */
  readonly sink?: SessionSink;
  /** After how long without an event the next loop begins a new session. Default: never. */
  readonly rotation?: { readonly inactivitySeconds: number };
  /** Keeps `MessageUpdate` events: a hundred to a thousand for each message. Default: false. */
  readonly includeStreamingEvents?: boolean;
  /**
   * Called once, before a new session takes its first loop; false rejects the session. It has to
   * answer at once: a promise is a `TypeError`.
   */
  readonly beforeTask?: (session: SessionRecord) => boolean | undefined;
  /** Called once, when a flush has ended a session. */
  readonly afterTask?: (session: SessionRecord) => void;
  /** The only source of times. */
  readonly now?: () => Date;
  /** Makes the id of a new session. Default: `crypto.randomUUID`. */
  readonly newSessionId?: () => string;
  /**
   * A part of every id that this recorder makes. Default: random, because no two recorders may
   * share one.
   */
  readonly writer?: string;
};
