import fc from "fast-check";
import { expect, it } from "vitest";
import { isJsonObject, stringifyJson, tryParseObject } from "../json.ts";
import { splitJoinedRecords } from "./joined-records.ts";

// No client has a first key that begins with a brace, which would end what is cut off in front.
const key = fc.string({ maxLength: 6 }).map((rest) => `k${rest}`);
const record = fc
  .dictionary(key, fc.jsonValue({ maxDepth: 3 }), { minKeys: 1 })
  .map((value) => JSON.stringify(value));

/** The texts of the fragments that are whole. */
function wholeOf(text: string): readonly string[] {
  const whole = splitJoinedRecords(text).filter(({ isWhole }) => isWhole);
  return whole.map(({ from, end }) => text.slice(from, end));
}

it("finds all records that follow each other without a separator", () => {
  fc.assert(
    fc.property(fc.array(record, { minLength: 1 }), (records) => {
      expect(wholeOf(records.join(""))).toEqual(records);
    }),
  );
});

it("finds no record in one that is cut off", () => {
  fc.assert(
    fc.property(record, fc.nat(), (text, cut) => {
      expect(wholeOf(text.slice(0, cut % text.length))).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

it("finds the record after one that is cut off, or none", () => {
  let found = 0;
  fc.assert(
    fc.property(record, fc.nat(), record, (broken, cut, behind) => {
      const whole = wholeOf(broken.slice(0, cut % broken.length) + behind);
      if (whole.length > 0 && cut % broken.length > 0) found++;
      expect([[], [behind]]).toContainEqual(whole);
    }),
    { numRuns: 300 },
  );
  expect(found).toBeGreaterThan(150);
});

it("accounts for every character, and takes only JSON objects for whole", () => {
  const piece = fc.oneof(
    record,
    fc.constantFrom("\0", "{", "}", '"', ",", "x", " ", "\\", "[", ":"),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const text = pieces.join("");
      let at = 0;
      for (const { from, end, isWhole } of splitJoinedRecords(text)) {
        expect(text.slice(at, from).trim()).toBe("");
        if (isWhole) expect(isJsonObject(tryParseObject(text.slice(from, end)))).toBe(true);
        at = end;
      }
      expect(text.slice(at).trim()).toBe("");
    }),
    { numRuns: 300 },
  );
});

it("splits a long text in linear time", () => {
  const long = stringifyJson({ text: '{"a'.repeat(1_000_000) });
  const cutOff = '{"a'.repeat(1_000_000);

  expect(wholeOf(long + long)).toEqual([long, long]);
  expect(wholeOf(cutOff)).toEqual([]);
});

it.each([
  ["never ends", '{"{"'],
  ["holds an invalid word", '{"a":01}{"b":x}'],
])("makes one piece of consecutive broken records, each of which %s", (_, broken) => {
  const whole = '{"a":1}';
  const row = broken.repeat(1000);

  const fragments = splitJoinedRecords(whole + row + whole + row).map(({ isWhole }) => isWhole);

  expect(fragments).toEqual([true, false, true, false]);
});
