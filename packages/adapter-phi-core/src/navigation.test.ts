import { type JsonObject, parseJson } from "@pond/canonical";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  childrenOf,
  getLoop,
  type LoopNode,
  loopChainTo,
  parallelSiblings,
  rootLoops,
  totalUsage,
} from "./navigation.ts";

const document: JsonObject = {
  loops: [
    { loop_id: "a", parent_loop_id: null, children_loop_ids: ["b", "a", "gone", "b"], mark: 1 },
    { loop_id: "b", parent_loop_id: "a", children_loop_ids: ["c"] },
    { loop_id: "c", parent_loop_id: "b", parallel_group: { all_loop_ids: ["c", "d", "gone"] } },
    { loop_id: "d", parent_loop_id: "b", parallel_group: { all_loop_ids: ["c", "d", "gone"] } },
    { loop_id: "a", parent_loop_id: "a", mark: 2 },
    { loop_id: "e", parent_loop_id: "elsewhere" },
    { loop_id: "x", parent_loop_id: "y" },
    { loop_id: "y", parent_loop_id: "x" },
  ],
};

const ids = (loops: readonly LoopNode[]) => loops.map(({ loop_id }) => loop_id);

describe("the tree of loops", () => {
  it("has as roots the loops whose parent is not another loop of the session", () => {
    expect(ids(rootLoops(document))).toEqual(["a", "e"]);
    expect(ids(rootLoops({ loops: [{ loop_id: "s", parent_loop_id: "s" }] }))).toEqual(["s"]);
  });

  it("finds the first of several loops with the same id", () => {
    expect(getLoop(document, "a")).toMatchObject({ mark: 1 });
    expect(getLoop(document, "gone")).toBeUndefined();
  });

  it("lists each child once, without the loop itself and loops that are missing", () => {
    expect(ids(childrenOf(document, "a"))).toEqual(["b"]);
    expect(ids(childrenOf(document, "gone"))).toEqual([]);
  });

  it("lists the existing loops of a parallel group", () => {
    expect(ids(parallelSiblings(document, "d"))).toEqual(["c", "d"]);
    expect(ids(parallelSiblings(document, "a"))).toEqual([]);
  });

  it("walks from a loop up to its root and stops at a cycle", () => {
    expect(ids(loopChainTo(document, "d"))).toEqual(["a", "b", "d"]);
    expect(ids(loopChainTo(document, "e"))).toEqual(["e"]);
    expect(ids(loopChainTo(document, "x"))).toEqual(["y", "x"]);
    expect(ids(loopChainTo({ loops: [{ loop_id: "s", parent_loop_id: "s" }] }, "s"))).toEqual([
      "s",
    ]);
  });

  it("ends every walk and adds up usage, whichever loops name each other", () => {
    const id = fc.constantFrom("a", "b", "c", "d", "__proto__");
    const loop = fc.record(
      {
        loop_id: id,
        parent_loop_id: fc.option(id),
        children_loop_ids: fc.array(id),
        parallel_group: fc.option(fc.record({ all_loop_ids: fc.array(id) })),
        usage: fc.record({ input: fc.maxSafeNat() }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(loop), id, (loops, start) => {
        const session: JsonObject = { loops };
        const chain = loopChainTo(session, start);

        expect(new Set(ids(chain)).size).toBe(chain.length);
        expect(chain.at(-1)).toBe(getLoop(session, start));
        expect(ids(childrenOf(session, start))).not.toContain(start);
        for (const root of rootLoops(session)) expect(loops).toContain(root);
        for (const each of parallelSiblings(session, start)) expect(loops).toContain(each);
        const inputs = loops.map(({ usage }) => BigInt(usage?.input ?? 0));
        expect(totalUsage(session).input).toBe(inputs.reduce((sum, one) => sum + one, 0n));
      }),
    );
  });
});

it("walks a chain of a hundred thousand loops", () => {
  const loops = Array.from({ length: 100_000 }, (_, index) => ({
    loop_id: `${index}`,
    parent_loop_id: `${index - 1}`,
  }));

  expect(loopChainTo({ loops }, "99999")).toHaveLength(100_000);
  expect(ids(rootLoops({ loops }))).toEqual(["0"]);
});

it("adds up token counts exactly when a double cannot hold them", () => {
  const session = parseJson(
    '{"loops":[{"usage":{"input":9007199254740993,"output":1}},{"usage":{"input":2,"reasoning":1.5}},{"usage":null},{}]}',
  );

  expect(totalUsage(session as JsonObject)).toEqual({
    input: 9007199254740995n,
    output: 1n,
    reasoning: 0n,
    cache_read: 0n,
    cache_write: 0n,
    total_tokens: 0n,
  });
});
