import {
  isJsonObject,
  type JsonObject,
  type Message,
  messageFromWire,
  toRfc3339,
} from "@pond/canonical";
import type { EventType, StoredEvent } from "./events.ts";

/**
 * The event that a message of a session stands for. A message that was said stands for its
 * `MessageEnd`; any other carries its event in `options.source.record`. A message that another loop
 * had said already carries itself there.
 *
 * @returns undefined if this package did not write the message.
 * @throws {ValidationError} if what it carries is damaged.
 */
export function eventOfMessage(message: Message): StoredEvent | undefined {
  const { loop: loopId, record, repeats } = sourceOf(message);
  if (record !== undefined && repeats !== true) return isStoredEvent(record) ? record : undefined;
  if (typeof loopId !== "string") return undefined;
  const timestamp = toRfc3339(message.timestamp);
  const recorded = repeats === true ? messageFromWire(record) : message;
  return { type: "MessageEnd", loop_id: loopId, message: recorded, timestamp };
}

export function sourceOf({ options }: Pick<Message, "options">): JsonObject {
  const { source } = options;
  return isJsonObject(source) ? source : {};
}

type Kind = "text" | "number" | "list" | "flag";

const loop = { loop_id: "text", timestamp: "text" } as const;
const session = { session_id: "text", timestamp: "text" } as const;
const call = { ...loop, tool_call_id: "text", tool_name: "text" } as const;

/** The fields that each event requires. */
const requiredFields: Readonly<Record<EventType, Readonly<Record<string, Kind>>>> = {
  AgentStart: { ...loop, session_id: "text", agent_id: "text" },
  AgentEnd: { ...loop, messages: "list" },
  TurnStart: { ...loop, turn_index: "number", triggered_by: "text" },
  TurnEnd: loop,
  MessageStart: { ...loop, role: "text" },
  MessageUpdate: loop,
  MessageEnd: loop,
  ToolExecutionStart: call,
  ToolExecutionUpdate: call,
  ToolExecutionEnd: { ...call, is_error: "flag" },
  ProgressMessage: { ...call, text: "text" },
  InputRejected: { ...loop, reason: "text" },
  LoopAborted: loop,
  ParallelLoopStart: { ...session, loop_ids: "list" },
  ParallelLoopEnd: { ...session, selected_loop_id: "text", selected_config_index: "number" },
  CompactionStarted: loop,
  CompactionEnded: loop,
  SpawnNamed: session,
};

/** True for an event with all required fields, whoever made it. */
function isStoredEvent(value: unknown): value is StoredEvent {
  return missingField(value) === undefined;
}

/** Says briefly what an event lacks; undefined if it lacks nothing. */
export function missingField(value: unknown): string | undefined {
  if (!isJsonObject(value)) return "is no object";
  const type = value["type"];
  if (typeof type !== "string" || !Object.hasOwn(requiredFields, type))
    return "is of no known type";
  const fields = Object.entries(requiredFields[type as EventType]);
  const wrong = fields.find(([key, kind]) => !hasKind[kind](value[key]));
  return wrong && `has no ${wrong[0]}`;
}

const hasKind: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  text: (value) => typeof value === "string" && value !== "",
  number: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  list: (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
  flag: (value) => typeof value === "boolean",
};
