import type { ReadEvent } from "@pond/canonical";
import { idOf } from "../generated/session.ts";
import { createRandom, tailedLength } from "../shared/random.ts";
import { conversation, unspacedConversation } from "./text.ts";

/** A session of searchable messages only, among which search has to find its way. */
export type LatencySession = {
  readonly id: string;
  readonly parentId: string | undefined;
  readonly agent: string;
  readonly project: string;
  readonly messages: readonly LatencyMessage[];
};

type LatencyMessage = {
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly timeMs: number;
  readonly text: string;
};

export const projects = 40;
const agents = ["claude-code", "claude-code", "codex", "opencode", "pi"];
const subAgentShare = 0.15;
const unspacedShare = 0.05;
const startMs = Date.UTC(2024, 6, 1);
export const spanMs: number = 2 * 365 * 86_400_000;
export const endMs: number = startMs + spanMs;

/** Sessions with `count` messages in all; the same ones every time. */
export function* latencySessions(count: number): Generator<LatencySession> {
  const random = createRandom(count);
  const lastRoot: { id: string; agent: string; project: string }[] = [];
  for (let made = 0, number = 0; made < count; number += 1) {
    const slot = number % projects;
    const above = random() < subAgentShare ? lastRoot[slot] : undefined;
    const agent = above?.agent ?? agents[Math.floor(random() * agents.length)] ?? "pi";
    const project = above?.project ?? `/work/project-${slot}`;
    const size = Math.min(count - made, 1 + tailedLength(random, 12, 1));
    const beganMs = startMs + Math.floor(random() * spanMs);
    const id = idOf(random);
    const messages = Array.from({ length: size }, (_, turn) => message(random, beganMs, turn));
    if (above === undefined) lastRoot[slot] = { id, agent, project };
    yield { id, parentId: above?.id, agent, project, messages };
    made += size;
  }
}

function message(random: () => number, beganMs: number, turn: number): LatencyMessage {
  const isUser = turn % 3 === 0;
  // Medians and spreads of real prompts and answers.
  const length = isUser
    ? tailedLength(random, 130, 1.4)
    : tailedLength(random, turn % 3 === 1 ? 135 : 320, 1);
  const say = random() < unspacedShare ? unspacedConversation : conversation;
  return {
    id: idOf(random),
    role: isUser ? "user" : "assistant",
    timeMs: beganMs + turn * 40_000,
    text: say(random, Math.min(length, 50_000)),
  };
}

/** The session as an adapter would read it. */
export async function* eventsOf(session: LatencySession): AsyncGenerator<ReadEvent> {
  const { id: session_id, agent, project, parentId, messages } = session;
  const micros = (ms: number): bigint => BigInt(ms) * 1000n;
  yield {
    kind: "session",
    session: {
      id: session_id,
      source_agent: agent,
      project,
      created_at: micros(messages[0]?.timeMs ?? startMs),
      options: {},
      ...(parentId !== undefined && { parent_session_id: parentId }),
    },
  } as ReadEvent;
  for (const { id, role, timeMs, text } of messages) {
    const message = { id, session_id, role, timestamp: micros(timeMs), options: {} };
    yield { kind: "message", message } as ReadEvent;
    const part = { id: "0", session_id, message_id: id, provenance: "conversational", options: {} };
    yield { kind: "part", part: { ...part, type: "text", text } } as ReadEvent;
  }
}
