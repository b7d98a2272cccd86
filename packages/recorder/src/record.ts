import type { JsonValue, Message } from "@pond/canonical";
import type { LoopConfig } from "./config.ts";
import type {
  CompactionBlock,
  ContinuationKind,
  Formation,
  SpawnRef,
  StoredEvent,
  TurnTrigger,
} from "./events.ts";
import type { Usage } from "./usage.ts";

/** The state of a loop. Only a branch of a parallel group is ever `Pending`. */
export type LoopStatus = "Pending" | "Running" | "Completed" | "Rejected" | "Aborted";

/** One event of a loop, with its number in the loop's order. */
export type LoopEvent = { readonly sequence: number; readonly event: StoredEvent };

/** One call of a model and what came of it. */
export type Turn = {
  readonly turn_id: { readonly loopId: string; readonly turnIndex: number };
  readonly triggered_by: TurnTrigger;
  readonly usage?: Usage;
  readonly input_messages: readonly Message[];
  /** Absent if the model answered nothing. */
  readonly output_message?: Message;
  readonly tool_results: readonly Message[];
  readonly started_at: string;
  readonly ended_at: string;
};

/** A session that a call of this loop spawned. */
export type ChildLoopRef = {
  readonly tool_call_id: string;
  readonly tool_name: string;
  readonly child_loop_id: string;
  readonly child_session_id: string;
};

/** The loops that ran beside one another. The chosen one is absent until it is chosen. */
export type ParallelGroup = {
  readonly all_loop_ids: readonly string[];
  readonly selected_loop_id?: string;
  readonly selected_config_index?: number;
  readonly evaluation_usage?: Usage;
  readonly is_selected?: boolean;
};

/** One loop, in the terms of phi-core. Unknown fields are absent. */
export type LoopRecord = {
  readonly loop_id: string;
  readonly session_id: string;
  /** Absent until the loop has begun, as are `continuation_kind` and `started_at`. */
  readonly agent_id?: string;
  readonly parent_loop_id?: string;
  readonly continuation_kind?: ContinuationKind;
  readonly started_at?: string;
  /** The time of its end; absent if it was aborted. */
  readonly ended_at?: string;
  readonly status: LoopStatus;
  readonly rejection?: string;
  readonly config?: LoopConfig;
  /** The messages that its end names. Until then, and if it was aborted, those recorded so far. */
  readonly messages: readonly Message[];
  readonly turns: readonly Turn[];
  readonly usage?: Usage;
  readonly metadata?: JsonValue;
  readonly events: readonly LoopEvent[];
  readonly children_loop_ids: readonly string[];
  readonly child_loop_refs: readonly ChildLoopRef[];
  readonly compaction_block?: CompactionBlock;
  readonly parallel_group?: ParallelGroup;
};

/** One session and the tree of its loops. */
export type SessionRecord = {
  readonly session_id: string;
  readonly agent_id: string;
  readonly created_at: string;
  /** When its last loop began. */
  readonly last_active_at: string;
  readonly formation: Formation;
  readonly scope: "ephemeral" | "persistent";
  readonly parent_spawn_ref?: SpawnRef;
  readonly loops: readonly LoopRecord[];
};
