import { type JsonObject, type Session, toRfc3339 } from "@pond/canonical";
import type {
  Lineage,
  Meanings,
  NativeParent,
  RestoredFile,
  SessionContent,
} from "@pond/canonical/adapter";
import {
  copyUuid,
  type Family,
  familyOf,
  Tally,
  turnsOf,
  wellFormedJson,
} from "@pond/canonical/foreign";
import { type ForeignLoop, firstLoopId, loopsOfTurns } from "./foreign/loops.ts";
import { newestOf } from "./newest.ts";
import { origin } from "./origin.ts";

/**
 * Sessions of other clients as a program that uses phi-core loads them: a loop for each prompt, as
 * its agent makes them, without turns and events. A sub-agent is a session of its own that names
 * the loop and the call it was spawned by.
 */
export function* writeForeign(
  lineage: Lineage,
  meanings: Meanings,
  parents: readonly NativeParent[] = [],
): Generator<RestoredFile> {
  const contents = [lineage.root, ...lineage.descendants];
  const drafts = new Map<string, Draft>();
  for (const content of contents) {
    const tally = new Tally();
    const loops = loopsOfTurns(content.session, turnsOf(content, meanings, tally), tally);
    drafts.set(content.session.id, { loops, tally });
  }
  // The library finds a session by its id.
  const named = parents.filter(({ session, path }) => path === `${session.id}.json`);
  const spawns = spawnsOf(familyOf(lineage, named), contents, drafts);
  for (const content of contents) {
    const { session } = content;
    const { loops, tally } = drafts.get(session.id) ?? { loops: [], tally: new Tally() };
    yield {
      session: session.id,
      path: `${copyUuid(origin, session.id)}.json`,
      content: [wellFormedJson(documentOf(content, loops, spawns))],
      fidelity: tally.fidelity(),
    };
  }
}

type Draft = { readonly loops: readonly ForeignLoop[]; readonly tally: Tally };

/** Where a sub-agent comes from. */
type Spawn = {
  /** The id of the session that spawned it, in the library. */
  readonly parentId: string;
  readonly child: Session;
  readonly loop: ForeignLoop | undefined;
  readonly call: { readonly callId: string; readonly name: string } | undefined;
};

/** Each sub-agent was spawned in the last loop that had begun by then, by the next call there. */
function spawnsOf(
  family: Family,
  contents: readonly SessionContent[],
  drafts: ReadonlyMap<string, Draft>,
): readonly Spawn[] {
  const used = new Map<ForeignLoop, number>();
  return contents.flatMap(({ session: child }): Spawn[] => {
    const parent = family.parentOf(child);
    if (parent === undefined) return [];
    const isNative = family.nativePath(parent) !== undefined;
    const parentId = isNative ? parent.id : copyUuid(origin, parent.id);
    // Of what the library wrote no loop can be told to have spawned it.
    const { loops = [] } = drafts.get(parent.id) ?? {};
    const loop = loops.findLast(({ startedAt }) => startedAt <= child.created_at) ?? loops[0];
    if (loop === undefined) return [{ parentId, child, loop, call: undefined }];
    const count = used.get(loop) ?? 0;
    used.set(loop, count + 1);
    return [{ parentId, child, loop, call: loop.agentCalls[count] }];
  });
}

function documentOf(
  { session, messages }: SessionContent,
  loops: readonly ForeignLoop[],
  spawns: readonly Spawn[],
): JsonObject {
  const timestamp = toRfc3339(session.created_at);
  const times = messages.map((message) => message.timestamp);
  const spawn = spawns.find(({ child }) => child.id === session.id);
  return {
    session_id: copyUuid(origin, session.id),
    agent_id: session.project,
    created_at: timestamp,
    last_active_at: toRfc3339(newestOf([session.created_at, ...times])),
    formation: { Explicit: { timestamp } },
    parent_spawn_ref: spawn ? spawnRef(spawn) : null,
    scope: "persistent",
    loops: loops.map((loop) => ({
      ...loop.record,
      child_loop_refs: spawns.filter((each) => each.loop === loop).map(childRef),
    })),
  };
}

function spawnRef({ parentId, loop, call }: Spawn): JsonObject {
  return {
    parent_session_id: parentId,
    parent_loop_id: loop?.loopId ?? "",
    tool_call_id: call?.callId ?? "",
    tool_name: call?.name ?? "",
  };
}

function childRef({ child, call }: Spawn): JsonObject {
  return {
    tool_call_id: call?.callId ?? "",
    tool_name: call?.name ?? "",
    child_loop_id: firstLoopId(child),
    child_session_id: copyUuid(origin, child.id),
  };
}
