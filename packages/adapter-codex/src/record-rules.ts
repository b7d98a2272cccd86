import type { Message, Part } from "@pond/canonical";
import {
  type Course,
  carriedRecord,
  type NamedModel,
  objectAt,
  type RecordRules,
  restOf,
  type SessionContent,
  sourceOf,
} from "@pond/canonical/adapter";
import {
  courseByRules,
  courseWithout,
  courseWithoutDuplicates,
  modelIn,
  modelOf,
} from "@pond/canonical/foreign";
import { inherited } from "./inherited.ts";
import { ordinalOf } from "./ordinal.ts";
import { injectedText } from "./provenance.ts";
import { isUserAnswers } from "./records/user-answers.ts";

/** What the client's records mean to models of other clients. */
export const codexRecordRules: RecordRules = { inherited, course, model };

/**
 * Separates what was taken back, which the client notes afterwards, and what a model hears in an
 * output.
 */
function course({ messages }: SessionContent): Course {
  return courseByRules(messages, [
    (rest) => courseWithout(rest, rolledBack(rest)),
    (rest) => courseWithoutDuplicates(rest, isUserAnswers),
  ]);
}

function rolledBack(messages: readonly Message[]): ReadonlySet<Message> {
  const live: Message[] = [];
  const undone = new Set<Message>();
  for (const message of messages) {
    for (const removed of live.splice(rollbackStart(live, message))) undone.add(removed);
    live.push(message);
  }
  return undone;
}

/** The index from which on a message takes back what is before it; for most messages, the end. */
function rollbackStart(live: readonly Message[], message: Message): number {
  const record = carriedRecord(message) ?? {};
  const { type, num_turns: turns } = objectAt(record, "payload");
  if (type === "thread_rolled_back" && typeof turns === "number" && turns > 0) {
    const prompts = live.flatMap((each, index) => (isPrompt(each) ? index : []));
    return prompts.at(-turns) ?? prompts[0] ?? live.length;
  }
  // A thread with numbered records continues in a file of its own, which counts on from the cut.
  const isReverted = record["type"] === "session_meta" && isRevertFile(sourceOf(message)["path"]);
  const start = isReverted ? ordinalOf(message) : undefined;
  if (start === undefined) return live.length;
  const from = live.findIndex((each) => (ordinalOf(each) ?? -1) >= start);
  return from === -1 ? live.length : from;
}

/** True for the name of a file that a revert began: it has an id besides that of the thread. */
function isRevertFile(path: unknown): boolean {
  return typeof path === "string" && /_[\da-f-]{36}\.jsonl[^/]*$/.test(path);
}

/**
 * True for what the client counts as a turn to take back: everything in the user's place, except
 * the context that it gives its model itself, and the mail of other agents. Not counted: speech
 * that was heard, what an output says of a goal, and what only an event says.
 */
function isPrompt(message: Message): boolean {
  const source = sourceOf(message);
  const rest = restOf(source);
  const { type } = objectAt(rest, "payload");
  if (rest["type"] === "inter_agent_communication" || type === "agent_message") return true;
  if (message.role === "assistant") return message.content.some(isMailPart);
  const isOutputOrEvent = type === "function_call_output" || source["continues"] !== undefined;
  if (message.role !== "user" || isOutputOrEvent || rest["type"] === "realtime_item") return false;
  return !message.content.some(isContext);
}

/** Older clients put the mail of another agent in the model's place. */
function isMailPart(part: Part): boolean {
  return sourceOf(part)["kind"] === "mail";
}

/** True for the client's own context. It is recognized by its words, whatever the labels say. */
function isContext(part: Part): boolean {
  const kind = part.type === "text" ? injectedText(part.text) : undefined;
  return kind !== undefined && (contextKinds.has(kind) || kind.startsWith("external_"));
}

const contextKinds: ReadonlySet<string> = new Set([
  "agents_md",
  "environment_context",
  "skill",
  "user_shell_command",
  "turn_aborted",
  "subagent_notification",
  "goal_context",
  "codex_internal_context",
  "recommended_plugins",
  "hook_prompt",
  "agent_message_board_notification",
  "warning",
]);

/** The client names the model once for each turn. */
function model(message: Message): NamedModel {
  const record = carriedRecord(message);
  if (record?.["type"] !== "turn_context") return modelOf(message);
  return modelIn(objectAt(record, "payload"));
}
