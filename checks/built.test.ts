import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isBuilt } from "./built.ts";

const minuteMs = 60_000;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pond-built-"));
  write("packages/loom/package.json", '{ "scripts": { "build": "tsup" } }');
  write("packages/loom/src/index.ts");
  write("packages/loom/dist/index.js");
  write("packages/loom-testkit/package.json", "{}");
  write("node_modules/.cache/built", "packages/loom/src/index.ts\n");
});
afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, text = ""): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** Sets the stamp as if the build had begun that long from now. */
function buildBegan(afterMs: number): void {
  const seconds = (Date.now() + afterMs) / 1000;
  utimesSync(join(root, "node_modules/.cache/built"), seconds, seconds);
}

test("the build is up to date when it began after the last change", () => {
  buildBegan(minuteMs);

  expect(isBuilt(root)).toBe(true);
});

test("the build is out of date when a source file changed since, even if the file's time is old", () => {
  buildBegan(-minuteMs);
  const longAgo = new Date("2026-01-01T00:00:00Z");
  utimesSync(join(root, "packages/loom/src/index.ts"), longAgo, longAgo);

  expect(isBuilt(root)).toBe(false);
});

test("the build is out of date when a source file was removed since", () => {
  buildBegan(minuteMs);
  write("packages/loom/src/other.ts");
  rmSync(join(root, "packages/loom/src/index.ts"));

  expect(isBuilt(root)).toBe(false);
});

test.each([
  ...["packages/loom/package.json", "packages/loom/tsconfig.build.json", "package.json"],
  ...["pnpm-lock.yaml", "pnpm-workspace.yaml", "turbo.json", "tsup.config.ts", "tsconfig.json"],
])("the build is out of date when %s, which configures builds, changed since", (path) => {
  rmSync(join(root, "packages"), { recursive: true });
  write("node_modules/.cache/built");
  buildBegan(-minuteMs);
  expect(isBuilt(root)).toBe(true);

  write(path, "{}");

  expect(isBuilt(root)).toBe(false);
});

test("the build stays up to date when only tests and their helpers changed", () => {
  rmSync(join(root, "packages"), { recursive: true });
  write("node_modules/.cache/built", "packages/loom/src/testing-home.ts\nchecks/gone.test.ts\n");
  buildBegan(-minuteMs);
  write("packages/loom/src/index.test.ts");
  write("packages/loom/src/testing-home.ts");

  expect(isBuilt(root)).toBe(true);
});

test.each(["packages/loom/dist", "node_modules/.cache/built"])(
  "the build is out of date when %s is missing",
  (path) => {
    buildBegan(minuteMs);
    rmSync(join(root, path), { recursive: true });

    expect(isBuilt(root)).toBe(false);
  },
);
