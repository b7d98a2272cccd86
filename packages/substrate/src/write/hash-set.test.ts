import fc from "fast-check";
import { expect, it } from "vitest";
import { HashSet } from "./hash-set.ts";

const edges = [0, 1, -1, 2 ** 31 - 1, -(2 ** 31)];

it("holds the hashes that were added, and no others", () => {
  const hash = fc.oneof(fc.constantFrom(...edges), fc.integer());
  fc.assert(
    fc.property(fc.array(hash, { maxLength: 500 }), fc.array(hash), (added, asked) => {
      const set = new HashSet();
      for (const each of added) set.add(each);
      const expected = new Set(added);
      for (const each of [...added, ...asked]) expect(set.has(each)).toBe(expected.has(each));
    }),
  );
});

it("holds hashes that all fall on one place of the table", () => {
  const alike = Array.from({ length: 1_000 }, (_, at) => at << 20);
  const set = new HashSet();
  for (const each of alike) set.add(each);

  expect(alike.every((each) => set.has(each))).toBe(true);
  expect(alike.some((each) => set.has(each + 1))).toBe(false);
});

it("holds nothing after it is cleared", () => {
  const set = new HashSet();
  for (const each of edges) set.add(each);
  set.clear();

  expect(edges.some((each) => set.has(each))).toBe(false);
});
