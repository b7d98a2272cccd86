import { expect, it } from "vitest";
import { begunAbove } from "./begun-elsewhere.ts";

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

  expect(begunAbove(begun, project)).toBe(found);
});

it("finds no session that was begun in an unrelated directory", () => {
  expect(begunAbove([["shop", "/shop"]], "/blog")).toBeUndefined();
});
