import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { conditions } from "../apps/cli/src/testing-start.ts";
import { type Example, examplesOf } from "./examples.ts";

const pages = ["README.md", ...globSync(["docs/*.md", "{packages,apps}/*/README.md"])];
const examples = pages.flatMap(examplesOf);

// An example leaves the files that it makes, so that its reader can look at them.
const left = mkdtempSync(join(tmpdir(), "pond-examples-"));
afterAll(() => rmSync(left, { recursive: true }));

/** Where an example finds its imports: in its own package, or the first package that has all. */
function folderFor({ page, code }: Example): string {
  const own = dirname(page);
  if (existsSync(join(own, "package.json")) && own !== ".") return own;
  const imported = [...code.matchAll(/from "(@pond\/[a-z-]+)/g)].map(([, name = ""]) => name);
  const folders = globSync("{packages,apps}/*/package.json").map(dirname).sort();
  const folder = folders.find((each) => {
    const { name } = JSON.parse(readFileSync(join(each, "package.json"), "utf8"));
    const isThere = (other: string): boolean => existsSync(join(each, "node_modules", other));
    return imported.every((other) => other === name || isThere(other));
  });
  return folder ?? expect.fail(`${page}: no package has ${imported.join(", ")}`);
}

test("the documentation has examples to run", () => {
  expect(examples).not.toEqual([]);
});

test.each(examples)("the example of $page prints what the page says", (example) => {
  const output = execFileSync(
    process.execPath,
    [...conditions, "--input-type=module-typescript", "--eval", example.code],
    { cwd: folderFor(example), encoding: "utf8", env: { ...process.env, TMPDIR: left } },
  );

  expect(output.trim()).toBe(example.printed);
});
