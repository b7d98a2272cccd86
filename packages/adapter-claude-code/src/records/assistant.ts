import type { CanonicalEvent } from "@pond/canonical";
import type { SourceRecord } from "@pond/canonical/adapter";
import { injectedAssistant } from "../provenance.ts";
import type { Reading } from "./envelope.ts";
import { readAnsweredPrompts } from "./queue.ts";
import { readTurn } from "./turn.ts";

/** One row of a model's answer; the client writes a row for each block of an answer. */
export function readAssistant(
  record: SourceRecord,
  reading: Reading,
): CanonicalEvent[] | undefined {
  const holder = record.record("message");
  if (holder?.peek("role") !== "assistant") return undefined;
  const answersClient = reading.helperConversation.follow(record) ? "helper-answer" : undefined;
  const injectedAs = injectedAssistant(record, holder) ?? answersClient;
  const speaker = { injectedAs, isHumanTurn: false };
  const turn = { holder, key: "content", role: "assistant", speaker } as const;
  const events = readTurn(record, turn, reading);
  return events && [...readAnsweredPrompts(record, holder.peek("id"), reading), ...events];
}
