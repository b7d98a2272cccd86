import { expect, it } from "vitest";
import { nearestByProject } from "./reused-ids.ts";

it.each([
  ["the same directory", "/shop", "shop"],
  ["the directory above", "/shop/src", "shop"],
  ["the root, not in a directory whose name is a prefix", "/shopping", "root"],
  ["the nearest of several directories above", "/shop/docs/a", "docs"],
  ["the root of a Windows drive", "C:\\code", "disk"],
])("finds the session that was begun in %s", (_, project, found) => {
  const begun = new Map([
    ["root", "/"],
    ["shop", "/shop"],
    ["docs", "/shop/docs"],
    ["disk", "C:\\"],
  ]);

  expect(nearestByProject(begun, project)).toBe(found);
});

it("finds no session that was begun in an unrelated directory", () => {
  expect(nearestByProject([["shop", "/shop"]], "/blog")).toBeUndefined();
});
