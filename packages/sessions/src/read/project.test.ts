import { describe, expect, it } from "vitest";
import { ingestDemo, said, withStore } from "../testing.ts";
import { isInProject, similarProjects } from "./project.ts";

it.each([
  ["/home/ada/shop", "/home/ada/shop", true],
  ["/home/ada/shop", "/home/ada/shop/", true],
  ["/home/ada/shop/api", "/home/ada/shop/", true],
  ["/home/ada/shop-api", "/home/ada/shop/", false],
  ["C:\\work\\shop", "C:\\work\\shop\\", true],
  ["C:\\work", "C:\\", true],
  ["/home", "/", true],
  ["home", "/", false],
  // A disk of a Mac keeps the accent as it was written, and finds either.
  ["/home/ada/Cafe\u0301", "/home/ada/Caf\u00e9", true],
  ["/home/ada/Caf\u00e9/api", "/home/ada/Cafe\u0301", true],
  ["/home/ada/Cafe", "/home/ada/Caf\u00e9", false],
])("a session of directory %s is in project %s: %s", (own, project, expected) => {
  expect(isInProject(own, project)).toBe(expected);
});

describe("similarProjects", () => {
  const stored = [
    "/home/ada/src/shop",
    "/home/ada/src/shop/api",
    "/home/bea/Shop",
    "C:\\work\\ledger",
    "/a/twin",
    "/b/twin",
    "/b/twin",
    "/c/twin",
    "/d/twin/web",
    "/e/twin",
    `/${"long".repeat(100)}/long`,
    "/home/ada/Cafe\u0301",
    "",
  ];

  const expected = {
    shop: ["/home/ada/src/shop", "/home/bea/Shop"],
    "/Users/ada/SHOP/": ["/home/ada/src/shop", "/home/bea/Shop"],
    "packages/api": ["/home/ada/src/shop/api"],
    "D:\\ledger": ["C:\\work\\ledger"],
    twin: ["/b/twin", "/a/twin", "/c/twin"],
    "/home/ada/src/shop/api/routes": ["/home/ada/src/shop/api"],
    "C:\\work\\ledger\\lib\\": ["C:\\work\\ledger"],
    "/home/ada/src/shop/twin": ["/home/ada/src/shop", "/b/twin", "/a/twin"],
    "/home/bea/Shop/shop": ["/home/bea/Shop", "/home/ada/src/shop"],
    sho: [],
    long: [],
    [`/${"long".repeat(100)}/long/short`]: [],
    constructor: [],
    "caf\u00e9": ["/home/ada/Cafe\u0301"],
    "/home/ada/Caf\u00e9": undefined,
    "/home/ada": undefined,
    "/home/ada/src/shop/": undefined,
    "/": undefined,
  };

  it("names the folder above one of which nothing is stored, and those that are called like it", async () => {
    await withStore(async (sessions) => {
      const demos = stored.map((project, at) => ({
        id: `s${at}`,
        project,
        messages: [said(`m${at}`)],
      }));
      await ingestDemo(sessions, demos);

      for (const [project, similar] of Object.entries(expected)) {
        expect(await similarProjects(sessions, project)).toEqual(similar);
      }
    });
  });
});
