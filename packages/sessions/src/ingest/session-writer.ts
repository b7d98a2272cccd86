import type { PreparedMessage } from "../rows/prepare.ts";
import type { Batch } from "./batch.ts";

/** Turns the messages of one session into rows as they come. */
export interface SessionWriter {
  /** About how many bytes of its input it holds back. */
  readonly heldBytes: number;
  add(message: PreparedMessage, batch: Batch): void;
  /** Passes on what it can of what it holds back. */
  flush(batch: Batch): Promise<void>;
  /** Ends the session. `isWhole`: nothing of it was left out on the way. */
  finish(batch: Batch, isWhole: boolean): Promise<void>;
}
