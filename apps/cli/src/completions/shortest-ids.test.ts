import { expect, it } from "vitest";
import { shortestIds } from "./shortest-ids.ts";

it.each([
  ["eight characters", ["0123456789abcdef", "f123456789abcdef"], 0, ["01234567", "f1234567"]],
  ["as many as tell two apart", ["01234567890abc", "01234567891abc"], 0, undefined],
  [
    "as many as tell long ones apart",
    ["0123456789000000", "0123456789100000"],
    0,
    ["01234567890", "01234567891"],
  ],
  ["no fewer than are typed", ["0123456789abcdefgh"], 10, ["0123456789"]],
  ["a short id whole", ["0123456789ab"], 0, undefined],
  [
    "a session by its beginning, and its sub-agents whole",
    ["0123456789abcdef", "0123456789abcdef/x", "0123456789abcdef/y"],
    0,
    ["01234567", "0123456789abcdef/x", "0123456789abcdef/y"],
  ],
  ["whole what is more than letters", ["0123456789😀abcdef"], 0, undefined],
  [
    "more than an id that it begins with",
    ["01234567", "0123456789abcdef"],
    0,
    ["01234567", "012345678"],
  ],
])("gives %s", (_, ids, typedLength, expected) => {
  expect([...shortestIds(ids, typedLength).values()]).toEqual(expected ?? ids);
});
