import type { PreparedMessage } from "../rows/prepare.ts";
import type { Batch } from "./batch.ts";

/** Turns the messages of one session into rows, as they come. */
export interface SessionWriter {
  /** About what it holds back of what it was given. */
  readonly heldBytes: number;
  add(message: PreparedMessage, batch: Batch): void;
  /** Hands on what it can of what it holds back. */
  flush(batch: Batch): Promise<void>;
  /** The session has ended. `isWhole`: nothing of it was left out on the way. */
  finish(batch: Batch, isWhole: boolean): Promise<void>;
}
