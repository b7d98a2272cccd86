import type { LoopRecord, SessionRecord } from "./record.ts";
import { sumOf, type Usage } from "./usage.ts";

/** The loop with that id. */
export function getLoop(session: SessionRecord, loopId: string): LoopRecord | undefined {
  return session.loops.find((loop) => loop.loop_id === loopId);
}

/** The loops without a parent in their session. */
export function rootLoops(session: SessionRecord): readonly LoopRecord[] {
  const known = new Set(session.loops.map((loop) => loop.loop_id));
  return session.loops.filter(({ parent_loop_id: id }) => id === undefined || !known.has(id));
}

/**
 * The loops of the session that ended and had this one as their parent, in the order of their ends.
 */
export function childrenOf(session: SessionRecord, loopId: string): readonly LoopRecord[] {
  const ids = getLoop(session, loopId)?.children_loop_ids ?? [];
  return ids.flatMap((id) => getLoop(session, id) ?? []);
}

/** The loops of a loop's parallel group, including itself; none if it has no group. */
export function parallelSiblings(session: SessionRecord, loopId: string): readonly LoopRecord[] {
  const ids = getLoop(session, loopId)?.parallel_group?.all_loop_ids ?? [];
  return ids.flatMap((id) => getLoop(session, id) ?? []);
}

/** A loop and the loops that it continues, the oldest first. A parent elsewhere ends the chain. */
export function loopChainTo(session: SessionRecord, loopId: string): readonly LoopRecord[] {
  const chain = new Set<LoopRecord>();
  let loop = getLoop(session, loopId);
  while (loop && !chain.has(loop)) {
    chain.add(loop);
    loop = loop.parent_loop_id === undefined ? undefined : getLoop(session, loop.parent_loop_id);
  }
  return [...chain].reverse();
}

/**
 * The total usage of all loops of a session. A loop whose end reported none, or that broke off,
 * counts with what its turns reported.
 */
export function totalUsage(session: SessionRecord): Usage {
  return sumOf(
    session.loops.flatMap(({ usage, turns }) =>
      usage ? [usage] : turns.map((turn) => turn.usage),
    ),
  );
}
