import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { publishedPackages } from "./packages.ts";
import { type Reference, readReference } from "./reference.ts";

let folder: string;
let reference: Reference;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pond-reference-"));
  reference = await readReference();
  await reference.write(folder);
}, 240_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("finds a docstring at every export, an export for every type, a target for every link", () => {
  expect(reference.warnings).toEqual([]);
});

it.each(publishedPackages().flatMap(({ entries }) => [...entries.keys()]))(
  "has a page for %s",
  (specifier) => {
    const page = readFileSync(join(folder, `${specifier}.md`), "utf8");

    expect(page).toContain(`# ${specifier}`);
  },
);
