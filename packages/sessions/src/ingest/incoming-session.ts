import type { SessionEvent } from "@pond/canonical";
import type { Labels } from "../rows/to-rows.ts";
import { emptyOutcome, type IngestOutcome, type SessionHooks } from "./outcome.ts";
import type { SessionStart } from "./reused-ids.ts";
import type { SourcePlace } from "./source-place.ts";

/** What batches know about one session. It may span several batches, and its end closes it. */
export type IncomingSession = {
  labels: Labels;
  readonly hooks: SessionHooks;
  readonly outcome: IngestOutcome;
  place: SourcePlace | undefined;
  /** What its source could not look up about its origin. */
  unresolved: SessionEvent["unresolved"] | undefined;
  /** What it says itself about when and where it began. */
  start: SessionStart | undefined;
  parentId: string | undefined;
  /** Labels of the sessions that have the ids it would have, if it gets another one now. */
  bases: readonly Labels[];
  /** How many rows of messages it had and got, carriers included. */
  messageRows: number;
  /** Ids of its windows, if it was presumed new. */
  windowIds: string[] | undefined;
  /** Set if some of what was presumed new may have existed. */
  hasLeftovers: boolean;
  /** Labels, as texts, of messages under its id that belong to a copy of it. */
  readonly copyOwners: Set<string>;
  /** Set if an earlier batch of it met another session's messages. */
  isContested: boolean;
};

/** What is known about a session before any of it was read. */
export function emptyIncomingSession(hooks: SessionHooks): IncomingSession {
  return {
    labels: { sessionId: "", sourceAgent: "", project: "" },
    hooks,
    outcome: emptyOutcome(),
    place: undefined,
    unresolved: undefined,
    start: undefined,
    parentId: undefined,
    bases: [],
    messageRows: 0,
    windowIds: undefined,
    hasLeftovers: false,
    copyOwners: new Set(),
    isContested: false,
  };
}

/** A message added for the first time, as far as was known. Only the rows hold its values. */
export type InsertedMessage = {
  readonly id: string;
  readonly digest: string;
  readonly ordinal: bigint;
  readonly timestamp: bigint;
  /** Number of its row among those of the batch. */
  readonly row: number;
  /** Number of its first part's row; those of its other parts follow. */
  readonly partRow: number;
  readonly partCount: number;
};
