import type { JsonObject, JsonValue, Part, ToolCallPart } from "@pond/canonical";
import { isJsonObject } from "@pond/canonical";
import {
  objectAt,
  type SourceRecord,
  secondId,
  sourceOf,
  toolCallPart,
  toolResultPart,
} from "@pond/canonical/adapter";
import type { Draft, PartPlace } from "./parts.ts";

/**
 * A tool part as the call and, where it ended, its answer. Everything else of it stays with the
 * call: the answer is only what the model was given.
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
    const { fields, ...result } = answer;
    const init = {
      id: secondId(id, "result"),
      provenance: "injected",
      callId,
      name,
      source: { follows: true, fields },
      ...result,
    } as const;
    drafts.push((message) => toolResultPart(message, init));
  }
  return drafts;
}

function readAnswer(state: SourceRecord) {
  const status = state.peek("status");
  const key = status === "completed" ? "output" : status === "error" ? "error" : undefined;
  if (key === undefined || state.peek(key) === undefined) return undefined;
  const isFailure = state.is("status", "error");
  if (status === "completed") state.string("status");
  const attachments = state.peek("attachments");
  // Images the tool gave belong to the answer; other clients show them with it.
  const isGroup = key === "output" && Array.isArray(attachments) && attachments.length > 0;
  const result = isGroup ? state.fields("output", "attachments") : state.requireJson(key);
  return { isFailure, result, fields: isGroup || undefined };
}

/** The fields of a tool part that are its own. */
export function restoreTool(
  call: ToolCallPart,
  others: readonly Part[],
  rest: JsonObject,
): { readonly [key: string]: JsonValue } {
  const state = { ...objectAt(rest, "state"), input: call.params };
  const answer = others.find((part) => part.type === "tool_result");
  const names = { callID: call.call_id, tool: call.name };
  if (answer?.type !== "tool_result") return { ...names, state };
  const { result, is_failure } = answer;
  const fields =
    sourceOf(answer)["fields"] === true && isJsonObject(result)
      ? result
      : { [is_failure ? "error" : "output"]: result };
  return { ...names, state: { status: is_failure ? "error" : "completed", ...state, ...fields } };
}
