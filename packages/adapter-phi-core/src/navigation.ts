import { isJsonObject, isRawNumber, type JsonObject, type JsonValue } from "@pond/canonical";

/** A loop of a session document, as far as the tree of loops needs it. */
export type LoopNode = JsonObject;

/** Token counts, exact: a count can exceed what a double carries. */
export type UsageTotal = {
  readonly input: bigint;
  readonly output: bigint;
  readonly reasoning: bigint;
  readonly cache_read: bigint;
  readonly cache_write: bigint;
  readonly total_tokens: bigint;
};

// Loop ids are not unique in a session, and loops may name themselves as their parent (formats,
// section 6). So every walk here ends, and if several loops have one id, the first is meant, as in
// the library.

/** The first loop with that id. */
export function getLoop(session: JsonObject, loopId: string): LoopNode | undefined {
  return loopsIn(session).find((loop) => loop["loop_id"] === loopId);
}

/**
 * The loops whose parent is none of this session's loops: the beginnings of its branches. A loop
 * that can only be its own parent is one, too; a compaction's record that shares the id of a loop
 * is not.
 */
export function rootLoops(session: JsonObject): readonly LoopNode[] {
  const known = firstById(session);
  return loopsIn(session).filter((loop) => {
    const parent = loop["parent_loop_id"];
    const above = typeof parent === "string" ? known.get(parent) : undefined;
    return above === undefined || above === loop;
  });
}

/**
 * The loops that a loop lists as its children, in file order, without those that have its own id.
 */
export function childrenOf(session: JsonObject, loopId: string): readonly LoopNode[] {
  const children = getLoop(session, loopId)?.["children_loop_ids"];
  if (!Array.isArray(children)) return [];
  const ids = new Set<JsonValue | undefined>(children);
  return loopsIn(session).filter(({ loop_id: id }) => {
    return typeof id === "string" && id !== loopId && ids.has(id);
  });
}

/**
 * The loops that ran beside a loop in one parallel group, including itself; none if it has no
 * group.
 */
export function parallelSiblings(session: JsonObject, loopId: string): readonly LoopNode[] {
  const group = getLoop(session, loopId)?.["parallel_group"];
  const ids = isJsonObject(group) ? group["all_loop_ids"] : undefined;
  if (!Array.isArray(ids)) return [];
  const members = new Set<JsonValue | undefined>(ids);
  // Another loop can have the id of a branch without having run beside it.
  return loopsIn(session).filter((loop) => {
    return members.has(loop["loop_id"]) && isJsonObject(loop["parallel_group"]);
  });
}

/** A loop and the loops that it continues, the oldest first. A parent elsewhere ends the chain. */
export function loopChainTo(session: JsonObject, loopId: string): readonly LoopNode[] {
  const known = firstById(session);
  const chain = new Set<LoopNode>();
  let loop = known.get(loopId);
  while (loop && !chain.has(loop)) {
    chain.add(loop);
    const parent = loop["parent_loop_id"];
    loop = typeof parent === "string" ? known.get(parent) : undefined;
  }
  return [...chain].reverse();
}

/** The total usage of all loops of a session. */
export function totalUsage(session: JsonObject): UsageTotal {
  const total = {
    input: 0n,
    output: 0n,
    reasoning: 0n,
    cache_read: 0n,
    cache_write: 0n,
    total_tokens: 0n,
  };
  for (const { usage } of loopsIn(session)) {
    if (!isJsonObject(usage)) continue;
    total.input += countOf(usage["input"]);
    total.output += countOf(usage["output"]);
    total.reasoning += countOf(usage["reasoning"]);
    total.cache_read += countOf(usage["cache_read"]);
    total.cache_write += countOf(usage["cache_write"]);
    total.total_tokens += countOf(usage["total_tokens"]);
  }
  return total;
}

/** A value that is not a whole number counts as nothing. */
function countOf(value: JsonValue | undefined): bigint {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : 0n;
  return isRawNumber(value) && /^\d+$/.test(value.rawJSON) ? BigInt(value.rawJSON) : 0n;
}

/** The loops of a session document, in file order. */
function loopsIn({ loops }: JsonObject): readonly LoopNode[] {
  if (!Array.isArray(loops)) return [];
  return loops.flatMap((loop: JsonValue) => (isJsonObject(loop) ? [loop] : []));
}

function firstById(session: JsonObject): ReadonlyMap<string, LoopNode> {
  const known = new Map<string, LoopNode>();
  for (const loop of loopsIn(session)) {
    const id = loop["loop_id"];
    if (typeof id === "string" && !known.has(id)) known.set(id, loop);
  }
  return known;
}
