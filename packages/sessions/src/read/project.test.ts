import { expect, it } from "vitest";
import { isInProject } from "./project.ts";

it.each([
  ["/home/ada/shop", "/home/ada/shop", true],
  ["/home/ada/shop", "/home/ada/shop/", true],
  ["/home/ada/shop/api", "/home/ada/shop/", true],
  ["/home/ada/shop-api", "/home/ada/shop/", false],
  ["C:\\work\\shop", "C:\\work\\shop\\", true],
  ["C:\\work", "C:\\", true],
  ["/home", "/", true],
  ["home", "/", false],
])("a session of directory %s is in project %s: %s", (own, project, expected) => {
  expect(isInProject(own, project)).toBe(expected);
});
