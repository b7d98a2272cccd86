import fc from "fast-check";
import { expect, it } from "vitest";
import { toFloat16Bits } from "./float16.ts";

const reference = (value: number): number =>
  new Uint16Array(Float16Array.of(value).buffer)[0] ?? Number.NaN;

it.each([
  0,
  -0,
  1,
  -2,
  65504,
  65519,
  65520,
  1e30,
  -1e30,
  2 ** -14,
  2 ** -24,
  2 ** -25,
  3 * 2 ** -26,
  2 ** -26,
  1.99951171875,
  1.9998,
  0.1,
  Number.POSITIVE_INFINITY,
])("rounds %d to the nearest float16", (value) => {
  expect(toFloat16Bits(value)).toBe(reference(value));
});

it("rounds every float32 as the platform does", () => {
  fc.assert(
    fc.property(fc.float({ noNaN: true }), (value) => toFloat16Bits(value) === reference(value)),
    { numRuns: 2000 },
  );
});

it("keeps NaN", () => {
  expect(toFloat16Bits(Number.NaN)).toBe(0x7e00);
});
