import { expect, it } from "vitest";
import { lineDiff } from "./line-diff.ts";

it.each([
  ["a\nb\n", "a\nb\n", ""],
  ["", "a\nb\n", "@@ line 1 @@\n+a\n+b\n"],
  ["a\nb\nc\n", "a\nc\n", "@@ line 2 @@\n-b\n"],
  ["a\nb\nc\n", "a\nB\nc\nd\n", "@@ line 2 @@\n-b\n+B\n@@ line 4 @@\n+d\n"],
  ["a\r\nb", "a\r\nb\r\nc\r\n", "@@ line 3 @@\n+c\n"],
  ["secret = 1\n[t]\nx = 1\n", "secret = 1\n[t]\nx = 2\n", "@@ line 3 @@\n-x = 1\n+x = 2\n"],
])("shows only the lines that differ between %j and %j", (before, after, diff) => {
  expect(lineDiff(before, after)).toBe(diff);
});
