import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planBatches } from "./batches.ts";

const lengths = fc.array(fc.integer({ min: 1, max: 512 }), { maxLength: 300 });
const bounds = fc.record({
  maxPaddedTokens: fc.integer({ min: 1, max: 4096 }),
  maxRows: fc.integer({ min: 1, max: 64 }),
});

/** Tokens that go through the model, padding included. */
const cost = (batches: readonly (readonly number[])[], of: readonly number[]): number =>
  batches.reduce(
    (sum, rows) => sum + rows.length * Math.max(...rows.map((row) => of[row] ?? 0)),
    0,
  );

describe("planBatches", () => {
  it("puts every text into exactly one batch, within the bounds or alone", () => {
    fc.assert(
      fc.property(lengths, bounds, (texts, most) => {
        const batches = planBatches(texts, most);

        expect(batches.flat().sort((a, b) => a - b)).toEqual(texts.map((_, index) => index));
        for (const rows of batches) {
          expect(rows.length).toBeLessThanOrEqual(most.maxRows);
          const padded = cost([rows], texts);
          expect(rows.length === 1 || padded <= most.maxPaddedTokens).toBe(true);
        }
      }),
    );
  });

  it("takes the longest texts first", () => {
    expect(planBatches([3, 9, 5], { maxPaddedTokens: 10, maxRows: 2 })).toEqual([[1], [2, 0]]);
  });

  // The numbers of the README.
  it("pads by a sixth where batches of 32 in the given order pad by almost six times the texts", () => {
    // Lengths as messages have them, many short and few long: a fixed log-logistic sequence.
    const texts = Array.from({ length: 256 }, (_, at) => {
      const even = (((at + 1) * 0.618_033_988_75) % 1) * 0.998 + 0.001;
      return Math.min(512, Math.ceil(Math.exp(3.6 + 0.7 * Math.log(even / (1 - even)))));
    });
    const inOrder = Array.from({ length: 8 }, (_, batch) =>
      Array.from({ length: 32 }, (_each, row) => batch * 32 + row),
    );
    const tokens = texts.reduce((sum, length) => sum + length, 0);
    const paid = (batches: number[][]): string => (cost(batches, texts) / tokens).toFixed(2);

    expect([tokens, paid(planBatches(texts)), paid(inOrder)]).toEqual([18_434, "1.17", "6.87"]);
  });
});
