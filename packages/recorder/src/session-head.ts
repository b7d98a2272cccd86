import {
  checkSession,
  fromRfc3339,
  isJsonObject,
  type Message,
  type Session,
} from "@pond/canonical";
import type { Formation, SpawnRef } from "./events.ts";
import { carrier, headOf, messageId } from "./log-entry.ts";
import type { SessionState } from "./loop-state.ts";
import type { SessionRecord } from "./record.ts";
import { snapshot } from "./snapshot.ts";

/** The values that a session is opened with. */
export type SessionInit = {
  readonly sessionId: string;
  /** The writer whose ids its messages have. */
  readonly writer: string;
  readonly sourceAgent: string;
  readonly project: string;
  readonly agentId: string;
  readonly timestamp: string;
  readonly formation: Formation;
  readonly scope: SessionRecord["scope"];
  readonly spawn: SpawnRef | undefined;
};

/** @throws {ValidationError} if they do not make a valid session. */
export function openSession(init: SessionInit): {
  readonly session: Session;
  readonly head: Message;
} {
  const { sessionId, timestamp, spawn, agentId, formation, scope } = init;
  const session = checkSession({
    id: sessionId,
    ...(spawn && { parent_session_id: spawn.parent_session_id }),
    source_agent: init.sourceAgent,
    created_at: fromRfc3339(timestamp),
    project: init.project,
    options: {},
  });
  const record = snapshot({
    session_id: sessionId,
    agent_id: agentId,
    created_at: timestamp,
    formation,
    scope,
    parent_spawn_ref: spawn,
  });
  const id = messageId("session", init.writer);
  return { session, head: carrier(sessionId, id, timestamp, { head: true, record }) };
}

/** The record of a session without loops; undefined if that message is not the head of one. */
export function recordOf(session: Session, head: Message | undefined): SessionState | undefined {
  const record: unknown = headOf(head);
  return isHead(record) && record.session_id === session.id
    ? { ...record, last_active_at: record.created_at, loops: [] }
    : undefined;
}

type Head = Omit<SessionRecord, "last_active_at" | "loops">;

function isHead(value: unknown): value is Head {
  if (!isJsonObject(value)) return false;
  const { session_id, agent_id, created_at, formation, scope } = value;
  const texts = [session_id, agent_id, created_at, scope];
  return texts.every((text) => typeof text === "string") && isJsonObject(formation);
}
