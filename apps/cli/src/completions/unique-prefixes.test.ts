import { expect, it } from "vitest";
import { uniquePrefixes } from "./unique-prefixes.ts";

it.each([
  [
    "the first eight characters of distinct ids",
    ["0123456789abcdef", "f123456789abcdef"],
    0,
    ["01234567", "f1234567"],
  ],
  [
    "two ids whole if shorter ones would save little",
    ["01234567890abc", "01234567891abc"],
    0,
    undefined,
  ],
  [
    "as many characters as tell two ids apart",
    ["0123456789000000", "0123456789100000"],
    0,
    ["01234567890", "01234567891"],
  ],
  ["no fewer characters than are typed", ["0123456789abcdefgh"], 10, ["0123456789"]],
  ["a short id whole", ["0123456789ab"], 0, undefined],
  [
    "a session's id short, and its sub-agents' ids whole",
    ["0123456789abcdef", "0123456789abcdef/x", "0123456789abcdef/y"],
    0,
    ["01234567", "0123456789abcdef/x", "0123456789abcdef/y"],
  ],
  ["an id with special characters whole", ["0123456789😀abcdef"], 0, undefined],
  [
    "one character more than another id that is its beginning",
    ["01234567", "0123456789abcdef"],
    0,
    ["01234567", "012345678"],
  ],
])("gives %s", (_, ids, typedLength, expected) => {
  expect([...uniquePrefixes(ids, typedLength).values()]).toEqual(expected ?? ids);
});
