import { type JsonValue, parseJson } from "@pond/canonical";
import { expect, it } from "vitest";
import { firstDifference } from "./difference.ts";

it.each<[string, string, string | undefined]>([
  ['{"a":1,"b":[2]}', '{"b":[2.0],"a":1}', undefined],
  ['{"a":{"b":[1,2]}}', '{"a":{"b":[1,3]}}', "a.b.1 is 3 instead of 2"],
  ['{"a":1}', "{}", "a is missing"],
  ["{}", '{"a":1}', "a is there and should not be"],
  ["[1]", '{"0":1}', 'the value is {"0":1} instead of [1]'],
  ["[1]", "[1,2]", "1 is there and should not be"],
  [
    "9007199254740993",
    "9007199254740992",
    "the value is 9007199254740992 instead of 9007199254740993",
  ],
  ['{"__proto__":1}', "{}", "__proto__ is missing"],
  ['"a"', `"${"b".repeat(300)}"`, `the value is "${"b".repeat(199)}... instead of "a"`],
  [
    `"${"b".repeat(300)}"`,
    `"${"b".repeat(299)}c"`,
    `the value is ...${"b".repeat(50)}c" instead of ...${"b".repeat(51)}"`,
  ],
])("names the first difference, if any, between %s and %s", (expected, actual, difference) => {
  const values: [JsonValue, JsonValue] = [parseJson(expected), parseJson(actual)];

  expect(firstDifference(...values)).toBe(difference);
});
