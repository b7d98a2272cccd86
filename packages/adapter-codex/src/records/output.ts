import type { CanonicalEvent, JsonObject, Message } from "@pond/canonical";
import { isJsonObject, partsOf } from "@pond/canonical";
import {
  type KeyOrders,
  messageEvent,
  openRecord,
  positionId,
  type SourceRecord,
  sourceOf,
  toolResultPart,
} from "@pond/canonical/adapter";
import { type Reading, restoreEnvelope, takeEnvelope } from "./envelope.ts";
import { readUnrequestedOutput } from "./unrequested-output.ts";
import { readUserAnswers } from "./user-answers.ts";

/** The types of items that answer a call. */
export const outputTypes: readonly string[] = [
  "function_call_output",
  "custom_tool_call_output",
  // The TypeScript client's name for it, and some later clients'; others call it the output of a
  // function.
  "local_shell_call_output",
  "tool_search_output",
];

const outputFields = ["output", "tools"];

/** A tool's output unchanged, or one that no call asked for. Undefined if there is none. */
export function readOutput(
  record: SourceRecord,
  item: SourceRecord,
  reading: Reading,
): CanonicalEvent[] | undefined {
  const call = item.peek("call_id");
  const field = outputFields.find((key) => item.peek(key) !== undefined);
  if (typeof call !== "string") return readUnrequestedOutput(record, item, reading);
  if (field === undefined) return undefined;

  const { id, timestamp, facts } = takeEnvelope(record, item, reading);
  const isFailure = failureOf(item);
  const init = {
    id: positionId(0),
    provenance: "injected",
    callId: item.requireString("call_id"),
    name: reading.toolNames.get(call),
    isFailure,
    result: item.requireJson(field),
    source: { field: field === outputFields[0] ? undefined : field },
  } as const;
  const source = { ...facts, rest: record.rest() };
  const message = messageEvent(reading.session, "tool", { id, timestamp, source });
  const answers = reading.questions.has(call)
    ? readUserAnswers({ id, timestamp, facts }, record, item.peek(field), reading)
    : [];
  return [message, toolResultPart(message, init), ...answers];
}

/** Only the clients of 2025 have a field for it; later ones say it in the text. */
function failureOf(item: SourceRecord) {
  const output = item.peek("output");
  return isJsonObject(output) ? openRecord(item.at, output).negated("success") : undefined;
}

/** Undefined if the message holds no output. */
export function restoreOutput(message: Message, orders: KeyOrders): JsonObject | undefined {
  const part = partsOf(message).find(({ type }) => type === "tool_result");
  if (part?.type !== "tool_result") return undefined;
  const { field } = sourceOf(part);
  const key = typeof field === "string" ? field : "output";
  return restoreEnvelope(message, { call_id: part.call_id, [key]: part.result }, orders);
}
