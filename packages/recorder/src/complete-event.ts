import { configSnapshot } from "./config.ts";
import { InvalidEventError } from "./errors.ts";
import type { AgentEvent, AgentStart, SpawnRef, ToolExecutionEnd } from "./events.ts";
import type { TimedEvent } from "./session-log.ts";

/** What a recorder knows and an event may therefore leave out. */
export type RecorderContext = {
  readonly agent: string;
  readonly timestamp: () => string;
  /** The session of a loop, if there is such a loop. */
  readonly sessionOf: (loopId: string) => string | undefined;
  /** The first loop that a call spawned, if it spawned one. */
  readonly spawnedBy: (loopId: string, callId: string) => string | undefined;
};

/** Completes the event with a time and with what the recorder knows. @throws {InvalidEventError} */
export function completeEvent(event: AgentEvent, context: RecorderContext): TimedEvent {
  const { timestamp = context.timestamp() } = event;
  switch (event.type) {
    case "AgentStart": {
      const {
        agent_id = context.agent,
        config,
        parent_spawn_ref = spawnRefOf(event, context),
      } = event;
      return {
        ...event,
        timestamp,
        agent_id,
        ...(parent_spawn_ref && { parent_spawn_ref }),
        ...(config && { config: configSnapshot(config) }),
      };
    }
    case "ToolExecutionEnd":
      return { ...event, timestamp, ...childRefOf(event, context) };
    default:
      return { ...event, timestamp };
  }
}

/** The loops that an event registers. */
export function registeredLoops(event: AgentEvent): readonly string[] {
  if (event.type === "AgentStart") return [event.loop_id];
  return event.type === "ParallelLoopStart" ? event.loop_ids : [];
}

/** A parent in another session is the loop that spawned this one. */
function spawnRefOf(
  { session_id, parent_loop_id }: AgentStart,
  { sessionOf }: RecorderContext,
): SpawnRef | undefined {
  if (parent_loop_id === undefined) return undefined;
  const parent_session_id = sessionOf(parent_loop_id);
  return parent_session_id === undefined || parent_session_id === session_id
    ? undefined
    : { parent_session_id, parent_loop_id };
}

function childRefOf(event: ToolExecutionEnd, context: RecorderContext): Partial<ToolExecutionEnd> {
  const { type, loop_id, tool_call_id, child_session_id } = event;
  const { child_loop_id = context.spawnedBy(loop_id, tool_call_id) } = event;
  if (child_loop_id === undefined) return {};
  const id = child_session_id ?? context.sessionOf(child_loop_id);
  if (id !== undefined) return { child_loop_id, child_session_id: id };
  throw new InvalidEventError(type, `the session of ${child_loop_id} is not known`);
}
