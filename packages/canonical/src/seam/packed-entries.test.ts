import fc from "fast-check";
import { expect, it } from "vitest";
import { PackedEntries } from "./packed-entries.ts";

const key = fc.oneof(
  fc.string({ unit: "binary", maxLength: 6 }),
  fc.constantFrom("", "\ud800", "\udfff", '"', '\\"', "\\", "a", 'a"', "__proto__", "null"),
);
const step = fc.tuple(key, fc.option(fc.integer()));

it("holds what a Map would hold", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), fc.array(key), (steps, asked) => {
      const entries = new PackedEntries<readonly [string, number]>();
      const expected = new Map<string, number>();
      for (const [name, number] of steps) {
        if (number === null) expect(entries.delete(name)).toBe(expected.delete(name));
        else {
          entries.set([name, number]);
          expected.set(name, number);
        }
      }
      for (const name of [...asked, ...steps.map(([each]) => each)]) {
        const number = expected.get(name);
        expect(entries.has(name)).toBe(expected.has(name));
        expect(entries.get(name)).toEqual(number === undefined ? undefined : [name, number]);
      }
      expect(entries.size).toBe(expected.size);
      expect(new Map(entries)).toEqual(expected);
      expect(new Map([...entries.texts()].map((text) => JSON.parse(text)))).toEqual(expected);
    }),
  );
});

it("distinguishes keys of the same hash, and keys that begin with another key", () => {
  // FNV-1a gives all four one hash of 32 bits, in pairs.
  const keys = ["costarring", "liquid", "declinate", "macallums", "cost", "costarring2", "", "["];
  const entries = new PackedEntries<readonly [string, number]>();
  for (const [number, name] of keys.entries()) entries.set([name, number]);
  entries.delete("costarring");

  expect(keys.map((name) => entries.get(name)?.[1])).toEqual([undefined, 1, 2, 3, 4, 5, 6, 7]);
});

it("numbers entries in the order they were added", () => {
  const entries = new PackedEntries<readonly [string, string]>();
  for (const name of ["b", "a", "b", "c"]) entries.set([name, "x"]);
  entries.delete("a");

  expect([...entries].map(([name]) => name)).toEqual(["b", "c"]);
  expect(["b", "a", "c"].map((name) => entries.numberOf(name))).toEqual([0, undefined, 2]);
  expect(entries.nextNumber).toBe(3);
  expect(entries.at(1)).toBeUndefined();
});

it("keeps 50,000 entries apart", () => {
  const entries = new PackedEntries<readonly [string, number]>();
  for (let at = 0; at < 50_000; at++) entries.set([`-work/session-${at}.jsonl`, at]);

  expect(entries.size).toBe(50_000);
  for (let at = 0; at < 50_000; at += 97) {
    expect(entries.get(`-work/session-${at}.jsonl`)).toEqual([`-work/session-${at}.jsonl`, at]);
  }
  expect(entries.has("-work/session-50000.jsonl")).toBe(false);
});
