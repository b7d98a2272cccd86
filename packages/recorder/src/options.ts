import type { SessionRecord } from "./record.ts";
import type { SessionSink } from "./saver.ts";

/** What a recorder knows of its agent. */
export type RecorderOptions = {
  /** The brand of the agent: the `source_agent` of its sessions. Not that of a client pond knows. */
  readonly agent: string;
  /** The scope its sessions belong to: the working directory, where it has one. */
  readonly project: string;
  /** Where sessions go as they grow; without one they are handed out by `drain` alone. */
  readonly sink?: SessionSink;
  /** After how long without an event the next loop begins a new session. Never, by default. */
  readonly rotation?: { readonly inactivitySeconds: number };
  /** Keep `MessageUpdate` events: a hundred to a thousand for each message. Default false. */
  readonly includeStreamingEvents?: boolean;
  /**
   * Asked once, before a new session takes its first loop; false rejects the session. It answers at
   * once: a promise is a `TypeError`.
   */
  readonly beforeTask?: (session: SessionRecord) => boolean | undefined;
  /** Told once, when a flush has ended a session. */
  readonly afterTask?: (session: SessionRecord) => void;
  /** The only source of times. */
  readonly now?: () => Date;
  /** Names a new session; `crypto.randomUUID` by default. */
  readonly newSessionId?: () => string;
  /** Is a part of every id this recorder makes; random by default, because no two may have the same. */
  readonly writer?: string;
};
