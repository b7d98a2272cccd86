import { expect, it } from "vitest";
import { begunAbove } from "./begun-elsewhere.ts";

it.each([
  ["the same directory", "/shop", "shop"],
  ["one above", "/shop/src", "shop"],
  ["no other that begins so", "/shopping", "root"],
  ["the nearest", "/shop/docs/a", "docs"],
  ["the root of a disk", "C:\\code", "disk"],
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
