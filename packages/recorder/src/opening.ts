import type { Formation } from "./events.ts";
import type { RecorderOptions } from "./options.ts";
import type { SessionInit } from "./session-head.ts";
import type { TimedEvent } from "./session-log.ts";

/** An event that opens its session, if that is not open. */
export type OpeningEvent = Extract<
  TimedEvent,
  { readonly type: "AgentStart" | "ParallelLoopStart" }
>;

/** The initial values of the session that this event opens. */
export function sessionInit(
  event: OpeningEvent,
  { agent, project, sink }: RecorderOptions,
  writer: string,
  known: Formation | undefined,
): SessionInit {
  const { session_id: sessionId, timestamp } = event;
  const start = event.type === "AgentStart" ? event : undefined;
  const { formation = known ?? { FirstLoop: { timestamp } } } = start ?? {};
  return {
    sessionId,
    writer,
    sourceAgent: agent,
    project,
    agentId: start?.agent_id ?? agent,
    timestamp,
    formation,
    scope: sink === undefined ? "ephemeral" : "persistent",
    spawn: start?.parent_spawn_ref,
  };
}
