import { globSync, readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { expect, test } from "vitest";

/** What each workspace package may import. Anything not listed here is an error. */
const allowed: Record<string, readonly string[]> = {
  canonical: [],
  "adapter-demo": ["canonical"],
  testkit: ["canonical"],
};

const packages = globSync("packages/*/package.json").map((file) => {
  const { dependencies = {} } = JSON.parse(readFileSync(file, "utf8"));
  const own = Object.keys(dependencies).filter((name) => name.startsWith("@pond/"));
  return { name: basename(dirname(file)), imports: own.map((name) => name.slice(6)) };
});

test.each(packages)("$name depends downwards only", ({ name, imports }) => {
  expect(imports.filter((other) => !allowed[name]?.includes(other))).toEqual([]);
});

test.each(packages)(
  "$name imports what it declares, and nothing else of pond",
  ({ name, imports }) => {
    const sources = globSync(`packages/${name}/src/**/*.ts`).map((file) =>
      readFileSync(file, "utf8"),
    );
    const used = sources.flatMap((text) => [...text.matchAll(/from "@pond\/([a-z-]+)/g)]);

    expect([...new Set(used.map(([, other]) => other))].sort()).toEqual([...imports].sort());
  },
);
