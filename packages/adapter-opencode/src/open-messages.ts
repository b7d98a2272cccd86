import { isJsonObject } from "@pond/canonical";
import { leftAloneMs, type SourceRecord } from "@pond/canonical/adapter";
import type { StoredMessage, StoredSession } from "./stores/stored.ts";

/** A message, and what is still going on in it; undefined if it is complete. */
export type CheckedMessage = { readonly message: StoredMessage; readonly open: string | undefined };

/** Why a message of this session may still change; undefined if it may not. */
export type OpenCheck = (message: StoredMessage) => string | undefined;

/**
 * True if the session was exported, or was left alone for an hour: whoever did that was done with
 * it. A time that far in the future says nothing, and would otherwise keep the session open for
 * ever.
 */
export function isIdle({ isLive, newestMs }: StoredSession, nowMs: number): boolean {
  return !isLive || Math.abs(nowMs - newestMs) >= leftAloneMs;
}

/** Judges the messages of a session; nothing is open once the session was left alone. */
export function createOpenCheck(session: StoredSession, nowMs: number): OpenCheck {
  if (isIdle(session, nowMs)) return () => undefined;
  return ({ record, schema, parts, isCut }) => {
    if (isCut) return "the message is not whole yet";
    if (schema === 2) return openReason2(record);
    if (isPromptWithoutParts(record, parts.length)) return "the prompt has no parts yet";
    if (record.peek("role") !== "assistant") return undefined;
    const isRunning = parts.some(({ record }) => isOpenTool(record));
    if (isRunning) return "a tool is still running";
    return hasEnded(record) ? undefined : "the answer is not complete";
  };
}

/** True for a step of the model: a step proves that those before it ended. */
export function isStep({ record, schema }: StoredMessage): boolean {
  return schema === 2 ? record.peek("type") === "assistant" : record.peek("role") === "assistant";
}

function hasEnded(message: SourceRecord): boolean {
  if (isJsonObject(message.peek("error"))) return true;
  const time = message.peek("time") ?? timeOfOld(message);
  return isJsonObject(time) && typeof time["completed"] === "number";
}

/** Messages of 2025 have their times in `metadata`. */
function timeOfOld(message: SourceRecord) {
  const metadata = message.peek("metadata");
  return isJsonObject(metadata) ? metadata["time"] : undefined;
}

function isPromptWithoutParts(message: SourceRecord, parts: number): boolean {
  return message.peek("role") === "user" && parts === 0 && !Array.isArray(message.peek("parts"));
}

function isOpenTool(part: SourceRecord): boolean {
  const state = part.peek("type") === "tool" ? part.peek("state") : undefined;
  return isJsonObject(state) && (state["status"] === "pending" || state["status"] === "running");
}

function openReason2(message: SourceRecord): string | undefined {
  const type = message.peek("type");
  const status = message.peek("status");
  if (type === "assistant") return hasEnded(message) ? undefined : "the answer is not complete";
  const isRunning = (type === "shell" || type === "compaction") && status === "running";
  return isRunning && !hasEnded(message) ? "the command is still running" : undefined;
}
