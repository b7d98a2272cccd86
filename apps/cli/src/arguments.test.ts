import { resolve } from "node:path";
import { expect, it } from "vitest";
import { parseProject } from "./arguments.ts";

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
])("takes the project %s for %s", (typed, project) => {
  expect(parseProject(typed)).toBe(project);
});
