import fc from "fast-check";
import { expect, it } from "vitest";
import { NumbersByKey } from "./numbers-by-key.ts";

// FNV-1a gives the first four one hash of 32 bits, in pairs.
const keys = ["costarring", "liquid", "declinate", "macallums", "", "a", "\ud800"];
const key = fc.oneof(fc.string({ unit: "binary", maxLength: 3 }), fc.constantFrom(...keys));
const step = fc.tuple(key, fc.nat({ max: 400 }));

it("gives every number that was last added with a key", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 600, size: "max" }), (steps) => {
      const numbers = new NumbersByKey();
      const keyOf = new Map<number, string>();
      for (const [name, number] of steps) {
        numbers.add(name, number);
        keyOf.set(number, name);
      }
      for (const name of [...keyOf.values(), ...keys]) {
        const expected = [...keyOf].flatMap(([number, own]) => (own === name ? [number] : []));
        const given = [...numbers.of(name)].filter((number) => keyOf.get(number) === name);
        expect(given.sort()).toEqual(expected.sort());
      }
    }),
  );
});

it("gives hardly any number of another key", () => {
  const numbers = new NumbersByKey();
  for (let at = 0; at < 20_000; at++) numbers.add(`ses_${at}`, at);

  const given = Array.from({ length: 20_000 }, (_, at) => [...numbers.of(`ses_${at}`)]);
  expect(given.every((each, at) => each.includes(at))).toBe(true);
  expect(given.flat().length).toBeLessThan(20_100);
});

// Passing all numbers of the key each time would take longer than any test may.
it("adds a number to a key without passing the hundreds of thousands that it has", () => {
  const numbers = new NumbersByKey();
  for (let at = 0; at < 400_000; at++) numbers.add("ses_1", at);

  expect([...numbers.of("ses_1")].length).toBe(400_000);
});
