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

test("what was built after every change is", () => {
  buildBegan(minuteMs);

  expect(isBuilt(root)).toBe(true);
});

test("what was changed since is not, however old the change looks", () => {
  buildBegan(-minuteMs);
  const longAgo = new Date("2026-01-01T00:00:00Z");
  utimesSync(join(root, "packages/loom/src/index.ts"), longAgo, longAgo);

  expect(isBuilt(root)).toBe(false);
});

test("what is there no more since is not", () => {
  buildBegan(minuteMs);
  write("packages/loom/src/other.ts");
  rmSync(join(root, "packages/loom/src/index.ts"));

  expect(isBuilt(root)).toBe(false);
});

test.each([
  ...["packages/loom/package.json", "packages/loom/tsconfig.build.json", "package.json"],
  ...["pnpm-lock.yaml", "pnpm-workspace.yaml", "turbo.json", "tsup.config.ts", "tsconfig.json"],
])("what says how to build is looked at, as %s", (path) => {
  rmSync(join(root, "packages"), { recursive: true });
  write("node_modules/.cache/built");
  buildBegan(-minuteMs);
  expect(isBuilt(root)).toBe(true);

  write(path, "{}");

  expect(isBuilt(root)).toBe(false);
});

test("a change of tests alone is none", () => {
  rmSync(join(root, "packages"), { recursive: true });
  write("node_modules/.cache/built", "packages/loom/src/testing-home.ts\nchecks/gone.test.ts\n");
  buildBegan(-minuteMs);
  write("packages/loom/src/index.test.ts");
  write("packages/loom/src/testing-home.ts");

  expect(isBuilt(root)).toBe(true);
});

test.each(["packages/loom/dist", "node_modules/.cache/built"])("without %s it is not", (path) => {
  buildBegan(minuteMs);
  rmSync(join(root, path), { recursive: true });

  expect(isBuilt(root)).toBe(false);
});
