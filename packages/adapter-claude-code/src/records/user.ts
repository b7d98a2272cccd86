import type { CanonicalEvent } from "@pond/canonical";
import type { SourceRecord } from "@pond/canonical/adapter";
import { injectedUser, isHelperAgent } from "../provenance.ts";
import type { Reading } from "./envelope.ts";
import { readTurn } from "./turn.ts";

/** Reads a prompt, the results of tools, or a text that the harness wrote in a human's place. */
export function readUser(record: SourceRecord, reading: Reading): CanonicalEvent[] | undefined {
  const holder = record.record("message");
  if (holder?.peek("role") !== "user") return undefined;
  const injectedAs = injectedUser(record);
  if (injectedAs === "helper-prompt" || injectedAs === "warmup")
    reading.helperConversation.addPrompt(record);
  const plan = record.peek("planContent");
  const speaker = {
    injectedAs,
    isHumanTurn: true,
    ...(typeof plan === "string" && { planContent: plan }),
  };
  // In a sub-agent's log, the model that started it speaks in the human's place. The client's own
  // helpers get a copy of what the human said.
  const isAgentPrompt =
    injectedAs === undefined && record.peek("isSidechain") === true && !isHelperAgent(record);
  const author = isAgentPrompt ? ({ author: "agent" } as const) : {};
  const turn = { holder, key: "content", role: "user", speaker, ...author } as const;
  const events = readTurn(record, turn, reading);
  if (injectedAs !== undefined || events?.every(isToolEvent))
    reading.helperConversation.follow(record);
  reading.queue.noteUserRecord(record, events ?? []);
  return events;
}

function isToolEvent(event: CanonicalEvent): boolean {
  return event.kind !== "message" || event.message.role === "tool";
}
