import type { CanonicalEvent } from "@pond/canonical";
import type { SourceRecord } from "@pond/canonical/adapter";
import type { Reading } from "./envelope.ts";
import { readTurn } from "./turn.ts";

/**
 * What was said on a voice call beside the session. The client keeps it in a system row and gives
 * it to its model as a user's message. Nobody typed it: it may hold several voices, including an
 * assistant's. Undefined for every other system row.
 */
export function readVoiceCall(
  record: SourceRecord,
  reading: Reading,
): CanonicalEvent[] | undefined {
  if (record.peek("subtype") !== "voice_call_talk") return undefined;
  // A row of another shape says nothing to its model.
  const isTalk = record.record("origin")?.peek("kind") === "voice-call";
  if (!isTalk || typeof record.peek("content") !== "string") return undefined;
  const speaker = { injectedAs: "voice-call", isHumanTurn: true };
  return readTurn(record, { holder: record, key: "content", role: "user", speaker }, reading);
}
