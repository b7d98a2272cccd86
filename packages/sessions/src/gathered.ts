import type { IngestOutcome, SessionHooks } from "./outcome.ts";
import type { PreparedMessage } from "./prepare.ts";
import type { Labels } from "./to-rows.ts";

/** What batches know of one session; it may span several, and its end closes it. */
export type Gathered = {
  labels: Labels;
  readonly hooks: SessionHooks;
  readonly outcome: IngestOutcome;
  /** Ids of its windows, where it was thought new. */
  readonly windowIds: string[];
  /** Set when some of what was thought new turns out to be there. */
  hasLeftovers: boolean;
};

/** A message added for the first time, as far as was known. */
export type Inserted = {
  readonly message: PreparedMessage;
  readonly ordinal: bigint;
  /** Number of its row among those of the batch. */
  readonly row: number;
};
