import type { JsonValue, Session, SessionId } from "@pond/canonical";
import type { Meanings, SessionContent } from "@pond/canonical/adapter";
import {
  agentNamesOf,
  agentsNamedIn,
  type Call,
  copyUuid,
  type Family,
  recordedIn,
} from "@pond/canonical/foreign";
import { origin } from "../origin.ts";
import type { ForeignLoop } from "./loops.ts";

/** Where a sub-agent comes from. */
export type Spawn = {
  /** The id of the session that spawned it, in the library. */
  readonly parentId: string;
  readonly child: Session;
  readonly loop: ForeignLoop | undefined;
  readonly call: Call | undefined;
};

type Known = {
  readonly family: Family;
  /** Of what the library wrote no loop can be told to have spawned anything. */
  readonly loopsOf: (id: SessionId) => readonly ForeignLoop[] | undefined;
  readonly meanings: Meanings;
};

/**
 * Each sub-agent was spawned by the first call that names it. One that none names was spawned in the
 * last loop that had begun by then, and by its calls in their order, where each has one and names
 * none.
 */
export function spawnsOf(
  contents: readonly SessionContent[],
  { family, loopsOf, meanings }: Known,
): readonly Spawn[] {
  const names = contents.map((content) => agentNamesOf(content, meanings));
  const named = new Map<Call, ReadonlySet<SessionId>>();
  const begun = contents.flatMap(({ session: child }): Spawn[] => {
    const parent = family.parentOf(child);
    if (parent === undefined) return [];
    const isNative = family.nativePath(parent) !== undefined;
    const parentId = isNative ? parent.id : copyUuid(origin, parent.id);
    const loops = loopsOf(parent.id) ?? [];
    for (const loop of loops) {
      const call = loop.agentCalls.find((each) => {
        const agents = named.get(each) ?? agentsNamedIn(recordedOf(each), names);
        named.set(each, agents);
        return agents.has(child.id);
      });
      if (call) return [{ parentId, child, loop, call }];
    }
    const loop = loops.findLast(({ startedAt }) => startedAt <= child.created_at) ?? loops[0];
    return [{ parentId, child, loop, call: undefined }];
  });
  return withCalls(begun);
}

/** Names stand in what was asked and answered, and in what the client noted with either. */
function recordedOf({ part, result }: Call): readonly JsonValue[] {
  const answer = result ? [...recordedIn(result.part), result.message.options] : [];
  return [...recordedIn(part), ...answer];
}

/**
 * Where a client names the agents that its calls start, one that no call names was started by none:
 * clients start agents of their own, too.
 */
function withCalls(spawns: readonly Spawn[]): readonly Spawn[] {
  const named = new Set(spawns.map(({ call }) => call));
  const calls = new Map<Spawn, Call>();
  // A lineage has its sessions in the order of their ids.
  const unnamed = spawns
    .filter(({ call }) => call === undefined)
    .toSorted((one, other) => Number(one.child.created_at - other.child.created_at));
  for (const [loop, children] of Map.groupBy(unnamed, (spawn) => spawn.loop)) {
    const asked = loop?.agentCalls ?? [];
    if (asked.length !== children.length || asked.some((call) => named.has(call))) continue;
    for (const [index, call] of asked.entries()) {
      const child = children[index];
      if (child) calls.set(child, call);
    }
  }
  return spawns.map((spawn) => ({ ...spawn, call: calls.get(spawn) ?? spawn.call }));
}
