import type { JsonValue } from "@pond/canonical";
import type { LoopConfig } from "./config.ts";
import type { AgentStart, ContinuationKind } from "./events.ts";

/** How a sub-agent begins. */
export type SpawnOptions = Omit<LoopOptions, "continues" | "as">;

/** How a loop begins. */
export type LoopOptions = {
  /** The session it belongs to; its parent's, or else the current one. */
  readonly sessionId?: string;
  /** Unique in the recorder; made of the session's id, the `writer` and a number where left out. */
  readonly loopId?: string;
  /** The recorder's `agent` where it is left out. */
  readonly agentId?: string;
  /** The loop it goes on from. */
  readonly continues?: string;
  /** How; `Default` where it is left out. */
  readonly as?: Exclude<ContinuationKind, "Initial">;
  readonly config?: LoopConfig;
  readonly metadata?: JsonValue;
};

/** The event that begins such a loop. */
export function startOf(
  options: LoopOptions,
  names: { readonly session_id: string; readonly loop_id: string },
): AgentStart {
  const { agentId, continues, as, config, metadata } = options;
  return {
    type: "AgentStart",
    ...names,
    ...(agentId !== undefined && { agent_id: agentId }),
    ...(continues !== undefined && { parent_loop_id: continues }),
    ...(as && { continuation_kind: as }),
    ...(config && { config }),
    ...(metadata !== undefined && { metadata }),
  };
}
