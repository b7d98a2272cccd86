import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { publishedPackages } from "./packages.ts";

it.each(publishedPackages())(
  "the README of $name names every value that it exports",
  ({ folder, entries }) => {
    const readme = readFileSync(join(folder, "README.md"), "utf8");

    const unnamed = [...entries.values()]
      .flatMap(valuesExportedBy)
      .filter((name) => !new RegExp(`\\b${name}\\b`).test(readme));

    expect(unnamed).toEqual([]);
  },
);

/** An index is a list of `export { ... } from`, and nothing else. Types are in the reference. */
function valuesExportedBy(index: string): readonly string[] {
  const lists = readFileSync(index, "utf8").matchAll(/^export \{([^}]*)\}/gm);
  return [...lists]
    .flatMap(([, list = ""]) => list.split(","))
    .map((item) => item.trim())
    .filter((item) => item !== "" && !item.startsWith("type "));
}
