import type { JsonValue } from "@pond/canonical";
import type { LoopConfig } from "./config.ts";
import type { AgentStart, ContinuationKind } from "./events.ts";

/** How a sub-agent begins. */
export type SpawnOptions = Omit<LoopOptions, "continues" | "as">;

/** How a loop begins. */
export type LoopOptions = {
  /** The session that it belongs to. Default: its parent's, or else the current one. */
  readonly sessionId?: string;
  /** Unique in the recorder. Default: made of the session's id, the `writer` and a number. */
  readonly loopId?: string;
  /** Default: the recorder's `agent`. */
  readonly agentId?: string;
  /** The loop that it continues. */
  readonly continues?: string;
  /** How it continues that loop. Default: `Default`. */
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
