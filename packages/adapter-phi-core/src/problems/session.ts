import { configSnapshot } from "./config.ts";
import { continuation, loopEvent, turnTrigger } from "./events.ts";
import { message, usage } from "./messages.ts";
import { requestPayload } from "./request.ts";
import {
  count,
  fallback,
  flag,
  list,
  object,
  oneOf,
  option,
  type Shape,
  smallCount,
  text,
  time,
  variant,
} from "./shape.ts";

const turn = object({
  turn_id: object({ loopId: text, turnIndex: smallCount }),
  triggered_by: turnTrigger,
  usage,
  input_messages: list(message),
  output_message: message,
  tool_results: list(message),
  started_at: time,
  ended_at: time,
  request_payload: option(requestPayload),
});

const childLoopRef = object({
  tool_call_id: text,
  tool_name: text,
  child_loop_id: text,
  child_session_id: text,
});

const parallelGroup = object({
  all_loop_ids: list(text),
  selected_loop_id: text,
  selected_config_index: count,
  evaluation_usage: usage,
  is_selected: flag,
});

const turns = { startTurn: smallCount, endTurn: smallCount };
const section = object({ range: object(turns), messages: list(message) });
const compactionBlock = object({
  keep_first: option(object(turns)),
  keep_recent: option(section),
  keep_compacted: option(section),
  createdAt: time,
});

const loop = object({
  loop_id: text,
  session_id: text,
  agent_id: text,
  parent_loop_id: option(text),
  continuation_kind: option(continuation),
  started_at: time,
  ended_at: option(time),
  status: oneOf("Pending", "Running", "Completed", "Rejected", "Aborted"),
  rejection: option(text),
  config: option(configSnapshot),
  messages: list(message),
  turns: fallback(list(turn)),
  usage,
  events: list(loopEvent),
  children_loop_ids: list(text),
  child_loop_refs: list(childLoopRef),
  parallel_group: option(parallelGroup),
  compaction_block: option(compactionBlock),
});

/** A session file as the library decodes it (formats, section 3). */
export const session: Shape = object({
  session_id: text,
  agent_id: text,
  created_at: time,
  last_active_at: time,
  formation: variant([], {
    Explicit: object({ timestamp: time }),
    FirstLoop: object({ timestamp: time }),
    InactivityTimeout: object({
      threshold_secs: count,
      previous_session_id: option(text),
      timestamp: time,
    }),
  }),
  parent_spawn_ref: option(
    object({
      parent_session_id: text,
      parent_loop_id: text,
      tool_call_id: text,
      tool_name: text,
    }),
  ),
  scope: fallback(oneOf("ephemeral", "persistent")),
  loops: list(loop),
});
