import { isJsonObject, type JsonObject, type JsonValue, type Message } from "@pond/canonical";
import type { Origin } from "@pond/canonical/adapter";

const pi = [
  ..."branch_summary compaction context_edit custom label model_change session".split(" "),
  ..."session_info thinking_level_change usage".split(" "),
];

/** Records of each client that are nobody's message, and are carried whole. */
const carried: Readonly<Record<Origin, readonly string[]>> = {
  "claude-code": [
    ..."attachment atis-latch cost-state last-prompt mode queue-operation system".split(" "),
    // New in this version: the client's requests to the model's API.
    ..."api-request api-request-blob api-request-shape tools-used".split(" "),
    ...earlier("progress summary"),
  ],
  codex: [
    ..."compacted session_meta token_usage_record turn_context world_state".split(" "),
    // Lines of the index of threads, and the header and states of early files, have no type.
    "session",
    ...[
      ..."item_completed task_complete task_started thread_settings_applied token_count".split(" "),
      ..."context_compacted turn_aborted".split(" "),
      ...earlier("agent_message thread_name_updated thread_rolled_back user_message"),
    ].map((type) => `event_msg ${type}`),
  ],
  opencode: [
    "session",
    ..."agent compaction patch retry snapshot step-finish step-start subtask".split(" "),
    ...earlier("agent-switched model-switched"),
  ],
  pi,
  omp: [
    ...pi,
    ..."credential_pin mcp_tool_selection mode_change reset_boundary session_init".split(" "),
    ..."service_tier_change title title_change ttsr_injection".split(" "),
  ],
};

/** Kinds that no newest release writes any more. */
function earlier(kinds: string): readonly string[] {
  return kinds.split(" ");
}

/** Kinds of records, and of their parts, that a client wrote and that are unknown. */
export function unknownRecords(origin: Origin, messages: readonly Message[]): string[] {
  const kinds = messages.flatMap(({ options }) =>
    Object.entries(objectAt(options, "source")).flatMap(([key, value]) => {
      const isWhole = key === "record" || key.startsWith("part.");
      return isWhole && isJsonObject(value) ? [kindOf(value)] : [];
    }),
  );
  return [...new Set(kinds)].filter((kind) => !carried[origin]?.includes(kind));
}

function kindOf(record: JsonObject): string {
  const { type = "session" } = record;
  const inner = objectAt(record, "payload")["type"];
  return type === "event_msg" || type === "response_item" ? `${type} ${inner}` : String(type);
}

function objectAt(value: JsonObject, key: string): JsonObject {
  const found: JsonValue | undefined = value[key];
  return isJsonObject(found) ? found : {};
}
