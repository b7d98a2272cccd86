import { configSnapshot } from "./config.ts";
import { content, message, spoken, usage } from "./messages.ts";
import { requestPayload } from "./request.ts";
import {
  anything,
  count,
  fallback,
  flag,
  list,
  object,
  oneOf,
  option,
  type Shape,
  smallCount,
  tagged,
  text,
  time,
  variant,
} from "./shape.ts";

/** What started a turn. */
export const turnTrigger: Shape = oneOf(
  "User",
  "SubAgent",
  "Continuation",
  // Read as `Continuation`, which had this name before.
  "FollowUp",
  "Branch",
);

/** How a loop continues another. */
export const continuation: Shape = variant(["Initial", "Default", "Compaction"], {
  Rerun: object({ tag: text }),
  Branch: object({ tag: text }),
});

const piece = object({ delta: text });
const delta = variant([], { Text: piece, Thinking: piece, ToolCallDelta: piece });
const toolOutput = object({ content, details: fallback(anything), child_loop_id: option(text) });
const call = { loop_id: text, tool_call_id: text, tool_name: text };
const timed = { loop_id: text, timestamp: time };

/** One event of a loop, with its number in the loop's order. */
export const loopEvent: Shape = object({
  sequence: count,
  event: tagged("type", {
    AgentStart: object({
      ...timed,
      agent_id: text,
      session_id: text,
      parent_loop_id: option(text),
      continuation_kind: fallback(continuation),
      config_snapshot: option(configSnapshot),
    }),
    AgentEnd: object({ ...timed, messages: list(message), usage, rejection: option(text) }),
    TurnStart: object({ ...timed, turn_index: smallCount, triggered_by: turnTrigger }),
    TurnEnd: object({ ...timed, message, usage, tool_results: list(spoken) }),
    MessageStart: object({ loop_id: text, message }),
    MessageUpdate: object({ loop_id: text, message, delta }),
    MessageEnd: object({ loop_id: text, message }),
    ToolExecutionStart: object({ ...call, args: anything }),
    ToolExecutionUpdate: object({ ...call, partial_result: toolOutput }),
    ToolExecutionEnd: object({
      ...call,
      result: toolOutput,
      is_error: flag,
      child_loop_id: option(text),
    }),
    ProgressMessage: object({ ...call, text }),
    InputRejected: object({ loop_id: text, reason: text }),
    ParallelLoopStart: object({ session_id: text, loop_ids: list(text), timestamp: time }),
    ParallelLoopEnd: object({
      session_id: text,
      selected_loop_id: text,
      selected_config_index: count,
      evaluation_usage: usage,
      timestamp: time,
    }),
    CompactionStarted: object({ ...timed, estimated_tokens: count, message_count: count }),
    CompactionEnded: object({
      ...timed,
      messages_before: count,
      messages_after: count,
      estimated_tokens_before: count,
      estimated_tokens_after: count,
      loops_compacted: count,
    }),
    PrunApplied: object({
      ...timed,
      tokens_removed: count,
      messages_removed: count,
      memo: option(text),
      pruned_timestamps: list(count),
    }),
    TurnRequest: object({ ...timed, turn_index: smallCount, payload: requestPayload }),
    RevertApplied: object({
      ...timed,
      category: oneOf("failure", "tangent", "completion", "step-summary"),
      target: option(count),
      abandoned_node_ids: list(count),
      summary: option(text),
      applied: flag,
      reason: option(text),
    }),
  }),
});
