import fc from "fast-check";
import { expect, it } from "vitest";
import { rootOf, rootsOf } from "./ancestry.ts";

const id = fc.constantFrom(..."abcdefghij");

it("finds the same roots for all sessions at once as one by one, also in circles", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(id, fc.option(id))), (pairs) => {
      const parents = new Map(pairs);

      const each = [...parents.keys()].map((id) => [id, rootOf(parents, id)] as const);
      expect(rootsOf(parents)).toEqual(new Map(each));
    }),
  );
});

it("finds the root of a chain of 100,000 sessions", () => {
  const parents = new Map(
    Array.from({ length: 100_000 }, (_, at) => [`s${at}`, at === 0 ? null : `s${at - 1}`]),
  );

  expect(new Set(rootsOf(parents).values())).toEqual(new Set(["s0"]));
});
