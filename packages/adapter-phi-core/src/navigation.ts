import { isJsonObject, isRawNumber, type JsonObject, type JsonValue } from "@pond/canonical";

/** A loop of a session document, as far as the tree of loops needs it. */
export type LoopNode = JsonObject;

/** Token counts, exact: a count can be beyond what a double carries. */
export type UsageTotal = {
  readonly input: bigint;
  readonly output: bigint;
  readonly reasoning: bigint;
  readonly cache_read: bigint;
  readonly cache_write: bigint;
  readonly total_tokens: bigint;
};

// Loop ids are not unique in a session and may name themselves as their parent (formats, section
// 6): every walk here ends, and of several loops with one id the first is meant.

/** The loops of a session document, in file order. */
function loopsIn({ loops }: JsonObject): readonly LoopNode[] {
  if (!Array.isArray(loops)) return [];
  return loops.flatMap((loop: JsonValue) => (isJsonObject(loop) ? [loop] : []));
}

/** The first loop with that id. */
export function getLoop(session: JsonObject, loopId: string): LoopNode | undefined {
  return loopsIn(session).find((loop) => loop["loop_id"] === loopId);
}

/** Loops whose parent is none of this session's loops: the beginnings of its branches. */
export function rootLoops(session: JsonObject): readonly LoopNode[] {
  const ids = new Set(loopsIn(session).map((loop) => loop["loop_id"]));
  return loopsIn(session).filter((loop) => {
    const { loop_id: id, parent_loop_id: parent } = loop;
    // A loop that names itself has no other parent.
    return typeof parent !== "string" || parent === id || !ids.has(parent);
  });
}

/** The loops that a loop lists as its children, in that order, itself left out. */
export function childrenOf(session: JsonObject, loopId: string): readonly LoopNode[] {
  const children = getLoop(session, loopId)?.["children_loop_ids"];
  const ids = Array.isArray(children) ? children : [];
  const named = [...new Set(ids)].filter((id) => typeof id === "string" && id !== loopId);
  return named.flatMap((id) => {
    const loop = getLoop(session, String(id));
    return loop ? [loop] : [];
  });
}

/** The loops that ran beside a loop in one parallel group, itself among them; none without one. */
export function parallelSiblings(session: JsonObject, loopId: string): readonly LoopNode[] {
  const group = getLoop(session, loopId)?.["parallel_group"];
  const ids = isJsonObject(group) ? group["all_loop_ids"] : undefined;
  if (!Array.isArray(ids)) return [];
  return loopsIn(session).filter((loop) => {
    return ids.includes(loop["loop_id"] ?? null) && isJsonObject(loop["parallel_group"]);
  });
}

/** A loop and those it continues, the oldest first. A parent that is elsewhere ends the chain. */
export function loopChainTo(session: JsonObject, loopId: string): readonly LoopNode[] {
  const chain: LoopNode[] = [];
  const seen = new Set<string>();
  for (let id: JsonValue | undefined = loopId; typeof id === "string" && !seen.has(id); ) {
    seen.add(id);
    const loop = getLoop(session, id);
    if (loop === undefined) break;
    chain.unshift(loop);
    id = loop["parent_loop_id"];
  }
  return chain;
}

/** What all loops of a session used together. */
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

/** What is no whole number counts as nothing. */
function countOf(value: JsonValue | undefined): bigint {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : 0n;
  return isRawNumber(value) && /^\d+$/.test(value.rawJSON) ? BigInt(value.rawJSON) : 0n;
}
