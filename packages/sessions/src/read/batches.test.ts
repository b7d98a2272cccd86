import fc from "fast-check";
import { expect, it } from "vitest";
import { Batches } from "./batches.ts";
import { OverBudgetError, ReadBudget } from "./read-budget.ts";

/** Reads items that are their own size. */
function recorded(size: { bytes: number; first: number; most: number }) {
  const held: (readonly number[])[] = [];
  const load = async (items: readonly number[], budget: ReadBudget): Promise<number[]> => {
    for (const bytes of items) budget.spendBytes(bytes);
    held.push(items);
    return [...items];
  };
  return { batches: new Batches(load, size), held };
}

const sum = (items: readonly number[]): number => items.reduce((total, bytes) => total + bytes, 0);
const sizes = fc.array(fc.oneof(fc.nat(20), fc.nat(1_000)), { maxLength: 60 });

it("reads everything in order, and holds more than four times its size only of a single one", () =>
  fc.assert(
    fc.asyncProperty(sizes, fc.integer({ min: 1, max: 20 }), async (items, first) => {
      const { batches, held } = recorded({ bytes: 100, first, most: 20 });
      const read: number[] = [];

      for await (const batch of batches.readAll(items)) read.push(...batch);

      expect(read).toEqual(items);
      for (const batch of held) {
        expect(batch.length).toBeLessThanOrEqual(20);
        if (batch.length > 1) expect(sum(batch)).toBeLessThanOrEqual(400);
      }
    }),
  ));

it("reads what fits into the whole, and never holds more than is left of it", () =>
  fc.assert(
    fc.asyncProperty(sizes, fc.nat(5_000), async (items, bytes) => {
      const { batches, held } = recorded({ bytes: 100, first: 8, most: 20 });
      const whole = new ReadBudget(bytes);
      const readAll = async (): Promise<void> => {
        for (let next = 0; next < items.length; )
          next += (await batches.read(items.slice(next), whole)).length;
      };

      if (sum(items) <= bytes) await readAll();
      else await expect(readAll()).rejects.toBeInstanceOf(OverBudgetError);

      expect(sum(held.flat())).toBeLessThanOrEqual(bytes);
    }),
  ));
