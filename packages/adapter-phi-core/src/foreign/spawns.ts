import { type JsonValue, partsOf, type Session, type SessionId } from "@pond/canonical";
import type { Meanings, SessionContent } from "@pond/canonical/adapter";
import {
  agentNamesOf,
  agentsNamedIn,
  type Call,
  copyUuid,
  type Family,
  valuesInPart,
} from "@pond/canonical/foreign";
import { origin } from "../origin.ts";
import type { ForeignLoop } from "./loops.ts";

/** The origin of a sub-agent. */
export type Spawn = {
  /** The library's id of the session that spawned it. */
  readonly parentId: string;
  readonly child: Session;
  readonly loop: ForeignLoop | undefined;
  readonly call: Call | undefined;
};

type SpawnContext = {
  readonly family: Family;
  /** In what the library itself wrote, it cannot be told which loop spawned something. */
  readonly loopsOf: (id: SessionId) => readonly ForeignLoop[] | undefined;
  readonly meanings: Meanings;
};

/**
 * Finds the origin of each sub-agent. The first call that names it spawned it, or the one whose
 * words its client wrapped. Any other was spawned in the last loop that had begun by then: by the
 * call that names none and asked for what the sub-agent begins with, or else by its calls in order,
 * if each has one and names none.
 */
export function spawnsOf(
  contents: readonly SessionContent[],
  { family, loopsOf, meanings }: SpawnContext,
): readonly Spawn[] {
  const names = contents.map((content) => agentNamesOf(content, meanings));
  const known = new Map<Call, ReadonlySet<SessionId>>();
  const agentsNamedBy: AgentsNamedBy = (call) => {
    const agents = known.get(call) ?? agentsNamedIn(recordedOf(call), names);
    known.set(call, agents);
    return agents;
  };
  const prompts = new Map(
    contents.map((content) => {
      const { id, source_agent: client } = content.session;
      return [id, meanings.recordRulesOf?.(client)?.agentPrompt?.(content)];
    }),
  );
  // An agent has several logs, of which one may be named; another agent's call belongs to none of
  // them.
  const isCandidate = (prompt: string, call: Call): boolean =>
    promptOf(call) === prompt && [...agentsNamedBy(call)].every((id) => prompts.get(id) === prompt);
  const drafts = contents.flatMap((content): SpawnDraft[] => {
    const { session: child } = content;
    const parent = family.parentOf(child);
    if (parent === undefined) return [];
    const isNative = family.nativePath(parent) !== undefined;
    const parentId = isNative ? parent.id : copyUuid(origin, parent.id);
    const spawn = { parentId, child, firstText: firstTextOf(content) };
    const loops = loopsOf(parent.id) ?? [];
    for (const loop of loops) {
      const call = loop.agentCalls.find((each) => agentsNamedBy(each).has(child.id));
      if (call) return [{ ...spawn, loop, call }];
    }
    const prompt = prompts.get(child.id);
    const [asking, ...alike] = loops.flatMap((loop) =>
      loop.agentCalls
        .filter((call) => prompt !== undefined && isCandidate(prompt, call))
        .map((call) => ({ loop, call })),
    );
    if (asking && alike.length === 0) return [{ ...spawn, ...asking }];
    const loop = loops.findLast(({ startedAt }) => startedAt <= child.created_at) ?? loops[0];
    return [{ ...spawn, loop, call: undefined }];
  });
  const families = Map.groupBy(drafts, ({ parentId }) => parentId);
  return [...families.values()].flatMap((siblings) => withCalls(siblings, agentsNamedBy));
}

type SpawnDraft = Spawn & { readonly firstText: string | undefined };
type AgentsNamedBy = (call: Call) => ReadonlySet<SessionId>;

function promptOf({ common }: Call): JsonValue | undefined {
  return common?.fields["prompt"];
}

function firstTextOf({ messages }: SessionContent): string | undefined {
  return messages.flatMap(partsOf).find((part) => part.type === "text")?.text;
}

/** Names occur in what was asked and answered, and in the client's notes about either. */
function recordedOf({ part, result }: Call): readonly JsonValue[] {
  const answer = result ? [...valuesInPart(result.part), result.message.options] : [];
  return [...valuesInPart(part), ...answer];
}

/**
 * The sub-agents of one session. If a client names the agents that its calls start, an agent that
 * no call names and whose beginning none asked for was started by no call: clients start agents of
 * their own, too.
 */
function withCalls(spawns: readonly SpawnDraft[], agentsNamedBy: AgentsNamedBy): readonly Spawn[] {
  const isFree = (call: Call): boolean =>
    !spawns.some((spawn) => spawn.call === call || agentsNamedBy(call).has(spawn.child.id));
  const calls = new Map<Spawn, Call>();
  // A lineage has its sessions in the order of their ids.
  const unnamed = spawns
    .filter(({ call }) => call === undefined)
    .toSorted((one, other) => Number(one.child.created_at - other.child.created_at));
  for (const [loop, children] of Map.groupBy(unnamed, (spawn) => spawn.loop)) {
    const asked = loop?.agentCalls ?? [];
    const free = asked.filter(isFree);
    for (const [child, call] of byPrompt(children, free)) calls.set(child, call);
    if (asked.length !== children.length || free.length < asked.length) continue;
    const taken = new Set(calls.values());
    const remaining = free.filter((call) => !taken.has(call));
    for (const child of children) {
      const call = calls.get(child) ?? remaining.shift();
      if (call) calls.set(child, call);
    }
  }
  return spawns.map((spawn) => ({ ...spawn, call: calls.get(spawn) ?? spawn.call }));
}

/** Each sub-agent whose beginning exactly one call asked for, and that call. */
function* byPrompt(
  children: readonly SpawnDraft[],
  calls: readonly Call[],
): Generator<[SpawnDraft, Call]> {
  for (const [firstText, [child, ...others]] of Map.groupBy(children, (each) => each.firstText)) {
    const [call, ...more] = calls.filter((each) => promptOf(each) === firstText);
    if (firstText && child && call && others.length + more.length === 0) yield [child, call];
  }
}
