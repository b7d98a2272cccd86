import { IllegalTransitionError } from "./errors.ts";
import type { EventType, StoredEvent } from "./events.ts";
import type { LoopStatus } from "./record.ts";

/** The events of one loop. */
export type LoopEventType = Exclude<
  EventType,
  "ParallelLoopStart" | "ParallelLoopEnd" | "SpawnNamed"
>;
export type OfLoopEvent = Extract<StoredEvent, { readonly type: LoopEventType }>;

const running = ["Running"] as const;
const started = ["Running", "Completed", "Rejected", "Aborted"] as const;

/** The states in which a registered loop accepts each event. */
const takenIn: Readonly<Record<LoopEventType, readonly LoopStatus[]>> = {
  AgentStart: ["Pending"],
  AgentEnd: running,
  TurnStart: running,
  TurnEnd: running,
  MessageStart: running,
  MessageUpdate: running,
  MessageEnd: running,
  ToolExecutionStart: running,
  ToolExecutionUpdate: running,
  ToolExecutionEnd: running,
  ProgressMessage: running,
  InputRejected: running,
  LoopAborted: ["Pending", "Running"],
  // An overlay can also be put on a loop that is over.
  CompactionStarted: started,
  CompactionEnded: started,
};

/**
 * @param hasTurn - Whether a turn of the loop has begun and not ended.
 * @throws {IllegalTransitionError} if the event cannot happen.
 */
export function checkTransition(
  loopId: string,
  status: LoopStatus,
  hasTurn: boolean,
  event: LoopEventType,
): void {
  if (!takenIn[event].includes(status)) throw new IllegalTransitionError(loopId, status, event);
  if (event === "TurnStart" && hasTurn) {
    throw new IllegalTransitionError(loopId, status, event, "a turn of it has not ended");
  }
  if (event === "TurnEnd" && !hasTurn) {
    throw new IllegalTransitionError(loopId, status, event, "no turn of it has begun");
  }
}
