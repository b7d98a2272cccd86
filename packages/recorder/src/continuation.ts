import { InvalidEventError } from "./errors.ts";
import type { AgentStart } from "./events.ts";

/**
 * Completes the start of a loop with its relation to its parent: a loop continues one of its own
 * session, and is `Initial` in every other case.
 *
 * @param isOwn - Whether its session has such a loop.
 * @throws {InvalidEventError} if the event says otherwise, or names an unknown parent.
 */
export function withContinuation<Start extends AgentStart>(
  event: Start,
  isOwn: (loopId: string) => boolean,
): Start {
  const { type, session_id, parent_loop_id: parent, parent_spawn_ref: spawn } = event;
  const isContinued = parent !== undefined && isOwn(parent);
  const { continuation_kind = isContinued ? "Default" : "Initial" } = event;
  if (parent !== undefined && !isContinued && spawn === undefined) {
    throw new InvalidEventError(type, `its parent ${parent} is not known`);
  }
  if (spawn !== undefined && (isContinued || spawn.parent_session_id === session_id)) {
    throw new InvalidEventError(type, "a sub-agent has a session of its own");
  }
  if (isContinued !== (continuation_kind !== "Initial")) {
    const reason = isContinued
      ? `a loop that continues ${parent} is not Initial`
      : "only a loop that continues one of its session is a continuation";
    throw new InvalidEventError(type, reason);
  }
  return { ...event, continuation_kind };
}
