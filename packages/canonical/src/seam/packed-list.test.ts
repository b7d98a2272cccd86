import fc from "fast-check";
import { expect, it } from "vitest";
import { PackedList } from "./packed-list.ts";

const value = fc.jsonValue();
/** Texts of JSON have neither -0 nor anything else that these may lack. */
const plain = (each: unknown): unknown => JSON.parse(JSON.stringify(each));

it("gives back the values put into it, in order", () => {
  fc.assert(
    fc.property(fc.array(value), fc.array(fc.tuple(fc.nat(), value)), (values, puts) => {
      const list = new PackedList<unknown>();
      const numbers = values.map((each) => list.push(each));
      const expected = values.map(plain);
      for (const [at, each] of puts) {
        if (values.length === 0) continue;
        list.put(at % values.length, each);
        expected[at % values.length] = plain(each);
      }
      expect(numbers).toEqual([...values.keys()]);
      expect([...list]).toEqual(expected);
      expect(list).toHaveLength(values.length);
    }),
  );
});

it.each(["\ud800", "\u{1f986}\udc00", "é", '\0"\\\u2028'])("keeps %j as it is", (text) => {
  const list = new PackedList<string>();
  list.push(text);
  list.push("behind it");

  expect([...list]).toEqual([text, "behind it"]);
});

it("keeps values larger than a piece, and the values behind them", () => {
  const sizes = [10, 700_000, 700_000, 3_000_000, 10, 1_048_574, 1_048_575, 1_048_576, 1, 0];
  const texts = sizes.map((size, at) => String(at).repeat(size));
  const list = new PackedList<string>();
  for (const each of texts) list.push(each);
  list.put(0, "longer than before".repeat(100_000));

  const [first, ...rest] = list;
  expect(first).toBe("longer than before".repeat(100_000));
  expect(rest.every((each, at) => each === texts[at + 1])).toBe(true);
});

it("still has what follows an index where what is before it was released", () => {
  const texts = Array.from({ length: 40 }, (_, at) => `${at}`.repeat(100_000));
  const list = new PackedList<string>();
  for (const each of texts) list.push(each);
  list.releaseBefore(30);
  list.push("behind");

  expect(texts.slice(30).every((each, at) => each === list.at(30 + at))).toBe(true);
  expect([list.at(40), list.length]).toEqual(["behind", 41]);
  expect(() => list.at(0)).toThrow();
});
