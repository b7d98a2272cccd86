import { type JsonObject, type Micros, type Session, toRfc3339 } from "@pond/canonical";
import { type Call, copyUuid, type Tally, type Turn } from "@pond/canonical/foreign";
import { newestOf } from "../newest.ts";
import { origin } from "../origin.ts";
import { restoredLoopId } from "../restored-loop.ts";
import { messagesOfTurn, openingOf } from "./messages.ts";
import { noUsage } from "./usage.ts";

/** A loop that is being built, and what its session needs to know about it. */
export type ForeignLoop = {
  readonly loopId: string;
  readonly startedAt: Micros;
  readonly record: JsonObject;
  /** Its calls that asked another agent. */
  readonly agentCalls: readonly Call[];
};

/** One loop for each prompt; what comes before the first prompt is in its loop. */
export function loopsOfTurns(
  session: Session,
  turns: readonly Turn[],
  tally: Tally,
): readonly ForeignLoop[] {
  const groups: Turn[][] = [];
  let hasPrompt = false;
  for (const turn of turns) {
    const group = groups.at(-1);
    if (group === undefined) groups.push([turn]);
    else if (turn.kind === "user" && hasPrompt)
      groups.push([...takePromptContext(turn, group), turn]);
    else group.push(turn);
    hasPrompt ||= turn.kind === "user";
  }
  const messagesOfLoops = withOpening(
    groups.map((group) => group.flatMap((turn) => messagesOfTurn(turn, session, tally))),
    session,
  );
  let latest: Micros | undefined;
  return groups.map((turns, index) => {
    const startedAt = turns[0]?.message.timestamp ?? session.created_at;
    // A clock can go back, but loops follow each other by their beginnings.
    const monotonicStart = latest === undefined || latest < startedAt ? startedAt : latest;
    latest = monotonicStart;
    return loopOf(
      session,
      { turns, messages: messagesOfLoops[index] ?? [], startedAt, monotonicStart },
      index,
    );
  });
}

/** Providers refuse a conversation that begins with an answer. */
function withOpening(
  messagesOfLoops: readonly (readonly JsonObject[])[],
  session: Session,
): readonly (readonly JsonObject[])[] {
  const begin = messagesOfLoops.findIndex((messages) => messages.length > 0);
  const first = messagesOfLoops[begin]?.[0];
  if (first?.["role"] !== "assistant") return messagesOfLoops;
  const opening = openingOf(session, first["timestamp"] ?? 0);
  return messagesOfLoops.map((messages, index) =>
    index === begin ? [opening, ...messages] : messages,
  );
}

/** Takes what a harness put into the message of a prompt out of the previous loop. */
function takePromptContext({ message }: Turn, group: Turn[]): readonly Turn[] {
  const from = group.findLastIndex((turn) => turn.kind !== "context" || turn.message !== message);
  return group.splice(from + 1);
}

/** The id of the loop with which a session begins. */
export function firstLoopId(session: Session): string {
  return restoredLoopId(copyUuid(origin, session.id), 0);
}

type LoopDraft = {
  readonly turns: readonly Turn[];
  readonly messages: readonly JsonObject[];
  readonly startedAt: Micros;
  /** The beginning that the library is told. */
  readonly monotonicStart: Micros;
};

function loopOf(
  session: Session,
  { turns, messages, startedAt, monotonicStart }: LoopDraft,
  index: number,
): ForeignLoop {
  const sessionId = copyUuid(origin, session.id);
  const loopId = restoredLoopId(sessionId, index);
  const times = turns.map(({ message }) => message.timestamp);
  const endedAt = newestOf([monotonicStart, ...times]);
  return {
    loopId,
    startedAt,
    agentCalls: turns.flatMap(agentCallsOf),
    record: {
      loop_id: loopId,
      session_id: sessionId,
      agent_id: session.project,
      parent_loop_id: null,
      continuation_kind: "Initial",
      started_at: toRfc3339(monotonicStart),
      ended_at: toRfc3339(endedAt),
      status: "Completed",
      rejection: null,
      config: null,
      messages,
      turns: [],
      usage: noUsage,
      metadata: { cwd: session.project },
      events: [],
      children_loop_ids: [],
      child_loop_refs: [],
      parallel_group: null,
    },
  };
}

function agentCallsOf(turn: Turn): ForeignLoop["agentCalls"] {
  if (turn.kind !== "assistant") return [];
  return turn.parts.flatMap((part) =>
    part.type === "call" && part.common?.kind === "agent" ? [part] : [],
  );
}
