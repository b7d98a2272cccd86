import fc from "fast-check";
import { expect, it } from "vitest";
import { hasTooManyValues } from "./value-count.ts";

/** The commas and opening brackets of a value's text: one less than its values, if none is empty. */
function marksOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const members = Object.values(value);
  return members.reduce((sum, each) => sum + marksOf(each), Math.max(1, members.length));
}

it("counts what begins a value, and nothing inside strings", () => {
  const unit = fc.constantFrom(...'a,[{}]:"\\\n');
  const value = fc.letrec((again) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      fc.string({ unit }),
      fc.integer(),
      fc.array(again("any")),
      fc.dictionary(fc.string({ unit }), again("any")),
    ),
  })).any;
  fc.assert(
    fc.property(value, fc.constantFrom("", " "), (each, indent) => {
      const text = JSON.stringify(each, null, indent);
      const marks = marksOf(each);

      expect([hasTooManyValues(text, marks - 1), hasTooManyValues(text, marks)]).toEqual([
        true,
        false,
      ]);
    }),
    { numRuns: 1_000 },
  );
});
