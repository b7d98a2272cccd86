import { globSync, readFileSync, writeFileSync } from "node:fs";
import { sampleLineage } from "@pond/adapter-testkit";
import { adapters, meaningsOf } from "@pond/adapters";
import type { RestoredFile } from "@pond/canonical/adapter";
import { expect, test } from "vitest";
import { story, storyMeanings } from "./pairs/story.ts";
import { rules } from "./rules.ts";

// Two tables of docs/formats.md are made here; UPDATE=1 writes them.

const page = "docs/formats.md";
const isUpdating = process.env["UPDATE"] === "1";
const order = ["kept", "translated", "dropped"];

const files = globSync([
  "{packages,apps}/*/src/**/*.ts",
  "{packages,apps}/*/README.md",
  "checks/**/*.ts",
  "docs/*.md",
]).filter((file) => !file.includes("node_modules"));

/** Names in backticks or quotes. A name in backticks that begins like a rule is one. */
const [inBackticks, anywhere] = [
  /`((?:lance|model|adapter|session|search|wire)-[a-z-]+)`/g,
  /["`]((?:lance|model|adapter|session|search|wire)-[a-z-]+)["`]/g,
];

test("formats.md lists what happens to each type of part in a copy", () => {
  const outcomes = adapters.map(({ to }) =>
    outcomesOf([
      ...to.writeForeign(sampleLineage(), meaningsOf()),
      ...to.writeForeign(story(), storyMeanings),
    ]),
  );
  const types = [...new Set(outcomes.flatMap((each) => [...each.keys()]))];
  const rows = types.map((type) => [
    `\`${type}\``,
    ...outcomes.map((each) => order.filter((outcome) => each.get(type)?.has(outcome)).join(", ")),
  ]);

  expectTable("fidelity", [["Part", ...adapters.map(({ origin }) => origin)], ...rows]);
});

test("formats.md lists every rule with its meaning and the places that cite it", () => {
  const defended = defendedIn();
  const said = new Map(
    [...readFileSync(page, "utf8").matchAll(/^\| `([a-z-]+)` *\|[^|]*\|([^|]*)\|$/gm)].map(
      ([, rule = "", places = ""]) => [rule, places.trim()],
    ),
  );
  const rows = Object.entries(rules).map(([rule, meaning]) => {
    const found = [...(defended.get(rule) ?? [])].sort();
    // More may be added, but everything that is stated has to be true.
    const isSo = said
      .get(rule)
      ?.split(", ")
      .every((place) => place === "" || found.includes(place));
    const places = isSo && !isUpdating ? said.get(rule) : found.join(", ");
    return [`\`${rule}\``, meaning, places ?? ""];
  });

  expectTable("rules", [["Rule", "What it says", "Cited in"], ...rows]);
});

test("every cited rule is a known rule", () => {
  const cited = files.flatMap((file) =>
    citations(file, inBackticks).map((rule) => ({ file, rule })),
  );

  expect(cited.filter(({ rule }) => !Object.hasOwn(rules, rule))).toEqual([]);
  expect(cited.length).toBeGreaterThan(100);
});

function citations(file: string, names: RegExp): readonly string[] {
  return [...readFileSync(file, "utf8").matchAll(names)].map(([, rule = ""]) => rule);
}

/** Rule -> the folders whose sources or tests cite it. */
function defendedIn(): ReadonlyMap<string, ReadonlySet<string>> {
  const defended = new Map<string, Set<string>>();
  for (const file of files.filter((each) => each.endsWith(".ts") && each !== "checks/rules.ts")) {
    const [area = "", folder = ""] = file.split("/");
    for (const rule of citations(file, anywhere)) {
      if (!defended.has(rule)) defended.set(rule, new Set());
      defended
        .get(rule)
        ?.add(area === "packages" ? folder : area === "checks" ? area : `${area}/${folder}`);
    }
  }
  return defended;
}

function outcomesOf(restored: Iterable<RestoredFile>): ReadonlyMap<string, ReadonlySet<string>> {
  const outcomes = new Map<string, Set<string>>();
  for (const { fidelity = {} } of restored) {
    for (const [type, counts] of Object.entries(fidelity)) {
      const found = outcomes.get(type) ?? new Set();
      outcomes.set(type, found);
      for (const [outcome, count] of Object.entries(counts)) if (count > 0) found.add(outcome);
    }
  }
  return outcomes;
}

/** Compares with the table after `<!-- name -->`. */
function expectTable(name: string, rows: readonly (readonly string[])[]): void {
  const [head = []] = rows;
  const widths = head.map((_, at) => Math.max(3, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${widths.map((width, at) => (row[at] ?? "").padEnd(width)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  const table = [line(head), rule, ...rows.slice(1).map(line)].join("\n");
  const place = new RegExp(`(<!-- ${name} -->\\n\\n?)([^]*?)(\\n?\\n<!-- end -->)`);
  const text = readFileSync(page, "utf8");
  if (isUpdating) {
    writeFileSync(page, text.replace(place, `<!-- ${name} -->\n\n${table}\n\n<!-- end -->`));
  }

  expect(place.exec(readFileSync(page, "utf8"))?.[2]).toBe(table);
}
