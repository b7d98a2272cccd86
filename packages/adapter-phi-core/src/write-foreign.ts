import { type JsonObject, toRfc3339 } from "@pond/canonical";
import type {
  Lineage,
  Meanings,
  NativeParent,
  RestoredFile,
  SessionContent,
} from "@pond/canonical/adapter";
import {
  copyUuid,
  familyOf,
  Tally,
  toolName,
  turnsOf,
  wellFormedJson,
} from "@pond/canonical/foreign";
import { type ForeignLoop, firstLoopId, loopsOfTurns } from "./foreign/loops.ts";
import { type Spawn, spawnsOf } from "./foreign/spawns.ts";
import { newestOf } from "./newest.ts";
import { origin } from "./origin.ts";

/**
 * Writes sessions of other clients as a program that uses phi-core loads them: a loop for each
 * prompt, as its agent makes them, without turns and events. A sub-agent is a session of its own
 * that names the loop and the call that spawned it.
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
  const family = familyOf(lineage, named);
  const spawns = spawnsOf(contents, { family, loopsOf: (id) => drafts.get(id)?.loops, meanings });
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
    tool_name: call ? toolName(call.part.name) : "",
  };
}

function childRef({ child, call }: Spawn): JsonObject {
  return {
    tool_call_id: call?.callId ?? "",
    tool_name: call ? toolName(call.part.name) : "",
    child_loop_id: firstLoopId(child),
    child_session_id: copyUuid(origin, child.id),
  };
}
