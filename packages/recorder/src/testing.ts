import { EventValidator, type Message, type MessageHeader, partsOf } from "@pond/canonical";
import type { SessionContent } from "@pond/canonical/adapter";
import type { LoopConfig } from "./config.ts";
import type { MessageDraft } from "./drafts.ts";
import type { ToolCall } from "./loop-handle.ts";
import type { RecorderOptions } from "./options.ts";
import type { LoopRecord, SessionRecord } from "./record.ts";
import { createRecorder, type Recorder } from "./recorder.ts";
import type { Usage } from "./usage.ts";

/** A clock that is a second further each time it is asked. */
function steppingClock(start = "2026-03-01T09:00:00.000Z"): () => Date {
  let next = Date.parse(start);
  return () => {
    next += 1000;
    return new Date(next - 1000);
  };
}

/** A recorder whose times and ids (sessions `s1`, `s2`..., loops `s1.w.1`...) are always the same. */
export function testRecorder(options: Partial<RecorderOptions> = {}): Recorder {
  let sessions = 0;
  return createRecorder({
    agent: "loom-agent",
    project: "/home/ada/loom",
    now: steppingClock(),
    newSessionId: () => {
      sessions += 1;
      return `s${sessions}`;
    },
    writer: "w",
    ...options,
  });
}

/** The content of a session that is there. */
export function contentOf(recorder: Recorder, sessionId = "s1"): SessionContent {
  const content = recorder.content(sessionId);
  if (content === undefined) throw new Error(`there is no session ${sessionId}`);
  return content;
}

/** Checks a session as its events, one by one. @throws {ValidationError} */
export function validate({ session, messages }: SessionContent): void {
  const validator = new EventValidator();
  validator.accept({ kind: "session", session });
  for (const message of messages) {
    validator.accept({ kind: "message", message: headerOf(message) });
    for (const part of partsOf(message)) validator.accept({ kind: "part", part });
  }
}

function headerOf(message: Message): MessageHeader {
  if (message.role === "system") return message;
  const { content: _, ...header } = message;
  return header;
}

/** What was said, as `role: text`. */
export function textsOf(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message) =>
    partsOf(message).flatMap((part) => {
      return part.type === "text" ? `${message.role}: ${part.text}` : [];
    }),
  );
}

/** A statement of the specification: the section it stands in, what it says, and its proof. */
export type Row = readonly [section: string, statement: string, run: () => void | Promise<void>];

export function user(content: string): MessageDraft {
  return { role: "user", content };
}

export function assistant(content: string): MessageDraft {
  return { role: "assistant", content };
}

export const call: ToolCall = { call_id: "call-1", name: "explore" };
export const usage: Usage = { input: 10, output: 5, total_tokens: 15 };
export const config: LoopConfig = { model: "weaver-1", provider: "loomworks" };

/** The record of a session that is there. */
export function recordOf(recorder: Recorder, sessionId = "s1"): SessionRecord {
  const record = recorder.session(sessionId);
  if (record === undefined) throw new Error(`there is no session ${sessionId}`);
  return record;
}

export function idsOf(loops: readonly LoopRecord[]): readonly string[] {
  return loops.map(({ loop_id }) => loop_id);
}

/** A clock that is set by hand. */
export function manualClock(): { now: () => Date; set: (time: string) => void } {
  let time = new Date("2026-03-01T09:00:00Z");
  const set = (text: string) => {
    time = new Date(text);
  };
  return { now: () => time, set };
}
