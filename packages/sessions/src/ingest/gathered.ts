import type { SessionEvent } from "@pond/canonical";
import type { Labels } from "../rows/to-rows.ts";
import type { Begun } from "./begun-elsewhere.ts";
import { emptyOutcome, type IngestOutcome, type SessionHooks } from "./outcome.ts";
import type { Place } from "./place.ts";

/** What batches know of one session; it may span several, and its end closes it. */
export type Gathered = {
  labels: Labels;
  readonly hooks: SessionHooks;
  readonly outcome: IngestOutcome;
  place: Place | undefined;
  /** What its source could not look up of its origin. */
  unresolved: SessionEvent["unresolved"] | undefined;
  /** What it says itself of when and where it began. */
  begun: Begun | undefined;
  parentId: string | undefined;
  /** Labels of the sessions that have ids it would have, where it gets another one now. */
  bases: readonly Labels[];
  /** How many rows of messages it had, and got: carriers are some. */
  messageRows: number;
  /** Ids of its windows, where it was thought new. */
  windowIds: string[] | undefined;
  /** Set where some of what was thought new may have been there. */
  hasLeftovers: boolean;
  /** Labels, as texts, of messages under its id that are those of a copy of it. */
  readonly copies: Set<string>;
  /** Set where an earlier batch of it met another session's messages. */
  isContested: boolean;
};

/** What is known of a session before any of it was read. */
export function nothingGathered(hooks: SessionHooks): Gathered {
  return {
    labels: { sessionId: "", sourceAgent: "", project: "" },
    hooks,
    outcome: emptyOutcome(),
    place: undefined,
    unresolved: undefined,
    begun: undefined,
    parentId: undefined,
    bases: [],
    messageRows: 0,
    windowIds: undefined,
    hasLeftovers: false,
    copies: new Set(),
    isContested: false,
  };
}

/** A message added for the first time, as far as was known. Its values are in the rows alone. */
export type Inserted = {
  readonly id: string;
  readonly digest: string;
  readonly ordinal: bigint;
  readonly timestamp: bigint;
  /** Number of its row among those of the batch. */
  readonly row: number;
  /** Number of its first part's row; those of the others follow. */
  readonly partRow: number;
  readonly partCount: number;
};
