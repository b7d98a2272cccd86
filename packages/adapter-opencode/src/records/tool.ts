import type { JsonObject, JsonValue, Part, ToolCallPart, ToolResultPart } from "@pond/canonical";
import { isJsonObject } from "@pond/canonical";
import {
  type Extracted,
  type KeyOrders,
  objectAt,
  type SourceRecord,
  sourceOf,
  suffixedId,
  toolCallPart,
  toolResultPart,
} from "@pond/canonical/adapter";
import type { Draft, PartPlace } from "./parts.ts";

/**
 * A tool part as the call and, if it ended, its answer. Everything else stays with the call: the
 * answer is only what the model was given.
 */
export function readTool(part: SourceRecord, place: PartPlace): readonly Draft[] | undefined {
  const state = part.record("state");
  if (state === undefined || state.peek("input") === undefined) return undefined;
  if (typeof part.peek("callID") !== "string" || typeof part.peek("tool") !== "string") {
    return undefined;
  }
  const { takeId, facts, injectedAs } = place;
  const id = takeId();
  const provenance = injectedAs === undefined ? "conversational" : "injected";
  part.string("type");
  const [callId, name] = [part.requireString("callID"), part.requireString("tool")];
  const params = state.requireJson("input");
  const metadata = part.peek("metadata");
  const isProviderExecuted = isJsonObject(metadata) && metadata["providerExecuted"] === true;
  const answer = readAnswer(state);
  const source = { kind: injectedAs, ...facts, rest: part.rest() };
  const call = { id, provenance, callId, name, params, isProviderExecuted, source } as const;
  const drafts: Draft[] = [(message) => toolCallPart(message, call)];
  if (answer) {
    const { isFailure, result, ...shape } = answer;
    const init = {
      id: suffixedId(id, "result"),
      provenance: "injected",
      callId,
      name,
      isFailure,
      result,
      source: { follows: true, ...shape },
    } as const;
    drafts.push((message) => toolResultPart(message, init));
  }
  return drafts;
}

/** A tool's answer, and its form in the state. */
type Answer = {
  readonly isFailure: Extracted<boolean> | undefined;
  readonly result: Extracted<JsonValue>;
  /** True if the result is several fields. */
  readonly fields?: true | undefined;
  readonly interrupted?: true;
};

function readAnswer(state: SourceRecord): Answer | undefined {
  const interrupted = readInterrupted(state);
  if (interrupted) return interrupted;
  const status = state.peek("status");
  const key = status === "completed" ? "output" : status === "error" ? "error" : undefined;
  if (key === undefined || state.peek(key) === undefined) return undefined;
  const isFailure = state.is("status", "error");
  if (status === "completed") state.string("status");
  const attachments = state.peek("attachments");
  // Images that the tool returned belong to the answer; other clients show them with it.
  const isGroup = key === "output" && Array.isArray(attachments) && attachments.length > 0;
  const result = isGroup ? state.fields("output", "attachments") : state.requireJson(key);
  return { isFailure, result, fields: isGroup || undefined };
}

/** What a tool had said before it was interrupted: the model is given that, without an error. */
function readInterrupted(state: SourceRecord): Answer | undefined {
  const metadata = state.peek("status") === "error" ? state.record("metadata") : undefined;
  if (metadata?.peek("interrupted") !== true) return undefined;
  if (typeof metadata.peek("output") !== "string") return undefined;
  const isFailure = metadata.negated("interrupted");
  return { isFailure, result: metadata.requireJson("output"), interrupted: true };
}

/** The fields of a tool part that are its own. */
export function restoreTool(
  call: ToolCallPart,
  others: readonly Part[],
  rest: JsonObject,
  orders: KeyOrders,
): { readonly [key: string]: JsonValue } {
  const restState = objectAt(rest, "state");
  const names = { callID: call.call_id, tool: call.name };
  const answer = others.find((part) => part.type === "tool_result");
  if (answer?.type !== "tool_result") {
    return { ...names, state: orders.join(restState, { input: call.params }) };
  }
  const status = restState["status"] ?? (answer.is_failure ? "error" : "completed");
  const state = orders.join(restState, { status }, "first");
  const fields = { input: call.params, ...answerFields(answer, state, orders) };
  return { ...names, state: orders.join(state, fields) };
}

function answerFields(answer: ToolResultPart, state: JsonObject, orders: KeyOrders): JsonObject {
  const { fields, interrupted } = sourceOf(answer);
  const { is_failure, result } = answer;
  if (interrupted === true) {
    const metadata = orders.join(objectAt(state, "metadata"), { interrupted, output: result });
    return { metadata };
  }
  if (fields === true && isJsonObject(result)) return result;
  return { [is_failure ? "error" : "output"]: result };
}
