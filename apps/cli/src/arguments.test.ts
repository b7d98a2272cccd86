import { resolve } from "node:path";
import { expect, it } from "vitest";
import { parseCount, parseDepth, parseProject } from "./arguments.ts";

it.each([
  [".", resolve(".")],
  ["..", resolve("..")],
  ["./x", resolve("x")],
  ["/a/b/..", "/a"],
  ["/a/b/../", "/a"],
  ["/a/./b/../c", "/a/c"],
  ["/../a", "/a"],
  // Names that begin or end in dots are names.
  ["/a/..b/.c", "/a/..b/.c"],
  ["/a/b../c", "/a/b../c"],
  [".config", ".config"],
  // What is no folder stays what it is.
  ["team x", "team x"],
  ["a/../b", "a/../b"],
])("reads the project argument %s as %s", (typed, project) => {
  expect(parseProject(typed)).toBe(project);
});

it.each(["", "0", "-1", "1.5", "0x10", "1e3", " 7", "9".repeat(16)])(
  "refuses %j as a count",
  (text) => {
    expect(() => parseCount(text)).toThrow("Use a whole number from 1.");
  },
);

it("accepts digits as a count, and also zero as a depth", () => {
  expect([parseCount("12"), parseDepth("12"), parseDepth("0")]).toEqual([12, 12, 0]);
  expect(() => parseDepth("-1")).toThrow("Use a whole number from 0.");
});
